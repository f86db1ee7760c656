/** Values by the schemas of the API description: ones that fit, ones that do not, and ones that no client should send. */

import { FORMATS } from "../../packages/server/src/http/formats.ts";
import { badTexts } from "../../packages/server/src/testing/bad-texts.ts";

export type Schema = {
  type?: string | readonly string[];
  enum?: readonly unknown[];
  anyOf?: readonly Schema[];
  format?: string;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  maxLength?: number;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  items?: Schema;
  [keyword: string]: unknown;
};

export type Random = () => number;

/** Where a value stands: the names of members from the outside in, list indexes left out. */
export type Place = readonly string[];

/** What values of some places are taken from, so that they name something; undefined where nothing is known of it. */
export type Known = (place: Place) => string | undefined;

export const chance = (random: Random, share: number): boolean => random() < share;

export function pick<T>(random: Random, values: readonly T[]): T {
  const value = values[Math.floor(random() * values.length)];
  if (value === undefined) throw new Error("There is nothing to choose from.");
  return value;
}

export const wholeUpTo = (random: Random, most: number): number => Math.floor(random() * (most + 1));

const BAD_TEXTS = badTexts(1);

const FORMATTED: Readonly<Record<string, readonly string[]>> = {
  timezone: ["UTC", "Europe/Berlin", "America/Havana", "Asia/Kathmandu"],
  country: ["DE", "us", "JP"],
  currency: ["EUR", "USD", "JPY", "KWD"],
  emails: ["buyer@example.com", "a@example.com, b@example.com"],
  "web-url-or-none": ["", "https://hooks.example/c"],
  "web-url": ["https://hooks.example/a", "http://hooks.example:8080/b?c=d"],
  date: ["2026-01-31", "2024-02-29", "2027-12-31"],
  datetime: ["2026-01-31T00:00:00Z", "2026-02-28T23:59:59.999Z", "2026-03-29T02:30:00+02:00", "2099-12-31T23:59:59Z"],
};

const NUMBERS = [0, 1, 2, 7, 12.5, 100, 999, 1e6];
const DECIMALS = ["0", "1", "0.5", "12.345678901234567890", "1000000", "99.99"];

/** Fits its schema; members that are not required come and go. Text says whose it is by `mark`. */
export function fittingValue(schema: Schema, random: Random, { known, mark, place }: Given): unknown {
  if (schema.enum) return pick(random, schema.enum);
  if (schema.anyOf) return fittingValue(pick(random, schema.anyOf), random, { known, mark, place });
  const types = typeof schema.type === "string" ? [schema.type] : (schema.type ?? ["object"]);
  const { minimum = 0, maximum = 1e6 } = schema;
  switch (pick(random, types)) {
    case "null":
      return null;
    case "boolean":
      return chance(random, 0.5);
    case "integer":
      return Math.min(maximum, Math.max(minimum, Math.floor(pick(random, NUMBERS))));
    case "number":
      return Math.min(maximum, Math.max(minimum, pick(random, NUMBERS)));
    case "array":
      return Array.from({ length: Math.max(schema.minItems ?? 0, wholeUpTo(random, 2)) }, () =>
        fittingValue(schema.items ?? {}, random, { known, mark, place }),
      );
    case "string":
      return fittingText(schema, random, { known, mark, place });
    default:
      return fittingObject(schema, random, { known, mark, place });
  }
}

export type Given = { known: Known; mark: string; place: Place };

function fittingText(schema: Schema, random: Random, { known, mark, place }: Given): string {
  const named = known(place);
  if (named !== undefined && chance(random, 0.9)) return named;
  const formatted = schema.format === undefined ? undefined : FORMATTED[schema.format];
  if (formatted) return pick(random, formatted);
  if (/amount|rate|units|credits|balance|value/.test(place.at(-1) ?? "") && chance(random, 0.8))
    return pick(random, DECIMALS);
  const name = isName(place) ? `name ${wholeUpTo(random, 1e6)}` : `${mark} ${wholeUpTo(random, 1e6)}`;
  return (chance(random, 0.2) ? `${name} ${storable(random)}` : name).slice(0, schema.maxLength ?? 255);
}

/** What other requests name it by: the other organization may send it too. */
export const isName = (place: Place): boolean => /(^|_)(id|ids|code|codes|key|values?)$/.test(place.at(-1) ?? "");

function storable(random: Random): string {
  const text = pick(random, BAD_TEXTS);
  return text.isWellFormed() && !text.includes("\u0000") ? text : "";
}

function fittingObject(schema: Schema, random: Random, { known, mark, place }: Given): unknown {
  const { properties = {}, required = [] } = schema;
  const members = Object.entries(properties).filter(([name]) => required.includes(name) || chance(random, 0.4));
  return Object.fromEntries(
    members.map(([name, member]) => [name, fittingValue(member, random, { known, mark, place: [...place, name] })]),
  );
}

/** Does not fit its schema, as a rule: whoever needs to be certain asks the validator. */
export function unfittingValue(schema: Schema, random: Random): unknown {
  const types = new Set(typeof schema.type === "string" ? [schema.type] : (schema.type ?? []));
  const others: unknown[] = [true, 17, "nonsense", [], {}, [[]], 1.5, -1, "", null];
  if (schema.maxLength !== undefined) others.push("x".repeat(schema.maxLength + 1));
  if (schema.minimum !== undefined) others.push(schema.minimum - 1);
  if (schema.maximum !== undefined) others.push(schema.maximum + 1);
  if (schema.format !== undefined && schema.format in FORMATS) others.push("2026-02-30", "nowhere", "x@", "::");
  if (types.has("integer")) others.push(0.5, "1", 1e300);
  if (types.has("boolean")) others.push("true", 1);
  return pick(random, others);
}

/** Anything that JSON can carry, and some that it should not. */
export function wildValue(random: Random, depth = 0): unknown {
  const kind = wholeUpTo(random, depth > 3 ? 5 : 8);
  if (kind <= 2) return pick(random, BAD_TEXTS);
  if (kind === 3)
    return pick(random, [0, -0, -1, 1e21, 1e308, 2 ** 53 + 2, 0.1 + 0.2, 5e-324, -1e18, 2 ** 31, 2 ** 63]);
  if (kind === 4) return pick(random, [null, true, false, "", "0", "-1", "1e400", "NaN", "Infinity", "9".repeat(400)]);
  if (kind === 5) return pick(random, INSTANTS);
  if (kind === 6) return Array.from({ length: wholeUpTo(random, 3) }, () => wildValue(random, depth + 1));
  if (kind === 7) return nested(wholeUpTo(random, 40));
  return Object.fromEntries(
    Array.from({ length: wholeUpTo(random, 3) }, () => [pick(random, BAD_TEXTS), wildValue(random, depth + 1)]),
  );
}

const INSTANTS = [
  "0000-01-01T00:00:00Z",
  "0001-01-01T00:00:00Z",
  "1969-12-31T23:59:59Z",
  "9999-12-31T23:59:59Z",
  "-271821-04-20T00:00:00Z",
  "+275760-09-13T00:00:00Z",
  "2026-12-31T23:59:60Z",
  "2026-02-29T00:00:00Z",
  "1900-01-01",
  "9999-12-31",
];

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}
