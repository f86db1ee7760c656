/** Values from a JSON schema of the API description: ones that fit it, and ones that do not. */
import fc from "fast-check";

export type Schema = {
  type?: string | readonly string[];
  enum?: readonly unknown[];
  format?: string;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  items?: Schema;
  [keyword: string]: unknown;
};

/** For some paths ("charges.*.charge_model") what the schema cannot say. */
export type Known = Readonly<Record<string, fc.Arbitrary<unknown>>>;

const TEXT_LENGTH_MAX = 60;
const NUMBER_MAX = 1_000_000;

/** A value that fits the schema; members that are not required come and go. */
export function fittingValue(schema: Schema, known: Known, path = ""): fc.Arbitrary<unknown> {
  const given = known[path];
  if (given) return given;
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const types = typeof schema.type === "string" ? [schema.type] : (schema.type ?? ["object"]);
  return fc.oneof(...types.map((type) => fittingType(type, schema, known, path)));
}

function fittingType(type: string, schema: Schema, known: Known, path: string): fc.Arbitrary<unknown> {
  const { minimum = 0, maximum = NUMBER_MAX, maxLength = TEXT_LENGTH_MAX } = schema;
  switch (type) {
    case "null":
      return fc.constant(null);
    case "boolean":
      return fc.boolean();
    case "integer":
      return fc.integer({ min: minimum, max: Math.min(maximum, NUMBER_MAX) });
    case "number":
      return fc.integer({ min: minimum * 4, max: Math.min(maximum, NUMBER_MAX) * 4 }).map((quarters) => quarters / 4);
    case "array":
      return fc.array(fittingValue(schema.items ?? {}, known, `${path}.*`), { maxLength: 3 });
    case "string":
      return schema.format === "currency"
        ? fc.constantFrom("EUR", "JPY", "KWD")
        : // Blank text counts as absent.
          fc.string({ minLength: 1, maxLength: Math.min(maxLength, TEXT_LENGTH_MAX) }).map((text) => `x${text}`);
    default:
      return fittingObject(schema, known, path);
  }
}

function fittingObject({ properties = {}, required = [] }: Schema, known: Known, path: string): fc.Arbitrary<unknown> {
  const members = Object.entries(properties).map(
    ([name, member]) => [name, fittingValue(member, known, path === "" ? name : `${path}.${name}`)] as const,
  );
  return fc.record(Object.fromEntries(members), { requiredKeys: [...required], noNullPrototype: true });
}

/** A value of another type than the schema's, or outside of its enum or range. */
export function unfittingValue(schema: Schema): fc.Arbitrary<unknown> {
  const types = new Set(typeof schema.type === "string" ? [schema.type] : (schema.type ?? []));
  const isNumber = types.has("integer") || types.has("number");
  const others = [
    ...(types.has("boolean") ? ["yes", 1] : [true]),
    ...(isNumber ? ["12", -1] : types.has("string") ? [1.5, 7] : ["text", 3]),
    ...(types.has("integer") ? [1.5] : []),
    ...(schema.enum ? ["nonsense", ""] : []),
    ...(types.has("array") || types.has("object") ? [] : [[], {}]),
    ...(types.has("array") ? [{ a: 1 }] : []),
  ];
  return fc.constantFrom(...others);
}
