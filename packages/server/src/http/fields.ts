/** Schema parts that resources share: texts with a limit, nullable members, timestamps of records. */
import { type Static, type TSchema, Type } from "@fastify/type-provider-typebox";
import type { Decimal } from "@tallystick/core/money";
import { FORMATTED_LENGTH_MAX } from "./formats.ts";

/**
 * Adds null to a schema without a new union, so that a failure is one error and not one per branch. An existing union gets another branch.
 */
export function nullable<T extends TSchema>(schema: T) {
  const { type, enum: values, anyOf } = schema as unknown as { type: string; enum?: unknown[]; anyOf?: unknown[] };
  const withNull = {
    ...schema,
    type: [type, "null"],
    ...(values ? { enum: [...values, null] } : {}),
    ...(anyOf ? { anyOf: [...anyOf, { type: "null" }] } : {}),
  };
  return Type.Unsafe<Static<T> | null>(withNull);
}

export const text = (lengthMax = 1000, description?: string) =>
  Type.String({ maxLength: lengthMax, ...(description ? { description } : {}) });

/** Required text. Blank counts as absent. */
export const mandatoryText = (lengthMax = 255, description?: string) =>
  Type.String({
    maxLength: lengthMax,
    pattern: "\\S",
    "x-code": "value_is_mandatory",
    ...(description ? { description } : {}),
  });

export const oneOf = <const T extends readonly string[]>(values: T, options: Record<string, unknown> = {}) =>
  Type.Unsafe<T[number]>({ type: "string", enum: [...values], ...options });

export const formatted = (format: string, options: Record<string, unknown> = {}) =>
  Type.String({ format, maxLength: FORMATTED_LENGTH_MAX, ...options });

export const currencyCode = () =>
  Type.String({
    format: "currency",
    description: "ISO 4217, such as EUR",
  });

export const days = (description: string) => Type.Integer({ minimum: 0, maximum: 3650, description });

export const id = (description = "Assigned by the service; UUID v7") => Type.String({ description });

export const instant = (description?: string) => Type.String({ description: description ?? "ISO 8601, UTC" });

/** A whole number of any size, as a bigint: amounts, and counts of events. */
export const wholeNumber = (description?: string) =>
  Type.Unsafe<bigint>({ type: "integer", ...(description ? { description } : {}) });

/** Plain digits with at least one after the decimal point, as text. */
export const decimalText = (description?: string) =>
  Type.String({ examples: ["12.5"], ...(description ? { description } : {}) });

/** For a member that does not exist yet. */
export const nothing = () => Type.Unsafe<null>({ type: "null" });

/** Not Type.Record, because its pattern ignores keys with a line break. */
export const anyMembers = <Member>(description: string) =>
  Type.Unsafe<Readonly<Record<string, Member>>>({ type: "object", description, additionalProperties: true });

/** ISO 8601 in UTC with whole seconds, as the interface shows instants. */
export const toApiInstant = (value: Temporal.Instant): string => value.toString({ smallestUnit: "second" });

export const toApiInstantOrNull = (value: Temporal.Instant | null): string | null =>
  value ? toApiInstant(value) : null;

/** Plain digits with at least one after the decimal point, as the interface shows decimals: 10 is "10.0". */
export function toApiDecimal(value: Decimal): string {
  const text = value.toFixed();
  return text.includes(".") ? text : `${text}.0`;
}

/** `{customer: {...}}`: every single record and every payload is wrapped in its name. */
export const envelope = <Name extends string, T extends TSchema>(name: Name, schema: T) =>
  Type.Object({ [name]: schema } as Record<Name, T>, {
    description: `The ${name.replaceAll("_", " ")}, wrapped in its name`,
  });

/** Drops undefined members: an absent member changes nothing, a null one clears. */
export function presentOnly<T extends Record<string, unknown>>(
  members: T,
): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never;
}

/**
 * A payload that core validates, because core owns its rules and codes. The route accepts any object here, and the API description shows
 * the schema.
 */
export const described = <T extends TSchema>(schema: T) =>
  Type.Unsafe<Readonly<Record<string, unknown>>>({ type: "object", "x-described": schema });
