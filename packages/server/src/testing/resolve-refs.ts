/** The API description without references, for tests that walk through schemas. */
import type { TSchema } from "@fastify/type-provider-typebox";
import { nullable } from "../http/fields.ts";

type Json = Record<string, unknown>;

// biome-ignore lint/suspicious/noExplicitAny: a test reads members of any document
export function resolveRefs(document: any, value: any = document): any {
  if (Array.isArray(value)) return value.map((item) => resolveRefs(document, item));
  if (typeof value !== "object" || value === null) return value;
  const { $ref, anyOf } = value as { $ref?: string; anyOf?: Json[] };
  if ($ref !== undefined) return resolveRefs(document, targetOf(document, $ref));
  // A named schema that may be null, as `nullable` writes it.
  if (anyOf?.length === 2 && anyOf[0]?.$ref !== undefined && anyOf[1]?.type === "null")
    return nullable(resolveRefs(document, anyOf[0]) as TSchema);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, resolveRefs(document, member)]));
}

function targetOf(document: Json, reference: string): unknown {
  const target = reference
    .split("/")
    .slice(1)
    .reduce<unknown>((inside, key) => (inside as Json | undefined)?.[key], document);
  if (target === undefined) throw new Error(`${reference} names nothing in the document`);
  return target;
}
