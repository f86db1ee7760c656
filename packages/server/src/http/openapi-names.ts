/** Moves what the API description repeats into its `components`: named schemas, shared parameters and shared responses. */
import { STATUS_CODES } from "node:http";
import { isDeepStrictEqual } from "node:util";

type Json = Record<string, unknown>;
type Content = Record<string, { schema?: Json; example?: unknown }>;
export type Response = { $ref?: string; description: string; content?: Content };
export type Parameter = { $ref?: string; in: string; name: string; required?: boolean };
export type Operation = {
  operationId?: string;
  summary: string;
  description?: string;
  tags: string[];
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, Response>;
};
export type Document = {
  components: { schemas: Record<string, Json>; responses?: Record<string, Response> } & Json;
  paths: Record<string, Record<string, Operation>>;
  webhooks?: Record<string, Record<string, Operation>>;
};

/** A lower-case title, such as that of a charge model, is for people only. */
const NAME = /^[A-Z][A-Za-z]+$/;

export const operationsOf = (paths: Document["paths"] = {}): Operation[] =>
  Object.values(paths).flatMap((methods) => Object.values(methods));

export function withComponents(document: Document): Document {
  const schemas = new Map<string, Json>();
  const paths = hoistSchemas(document.paths, schemas) as Document["paths"];
  const webhooks = hoistSchemas(document.webhooks ?? {}, schemas) as Document["paths"];
  const operations = operationsOf(paths);
  for (const operation of operations) {
    answerRefusalsInJson(operation);
    sayOnce(operation);
  }
  // Reading does not depend on a state.
  for (const { get } of Object.values(paths)) delete get?.responses["405"];
  return {
    ...document,
    paths,
    webhooks,
    components: {
      ...document.components,
      parameters: shareParameters(operations),
      responses: shareResponses(operations),
      schemas: sorted(schemas),
    },
  };
}

/** Replaces each schema that has a name by a reference to it. */
function hoistSchemas(value: unknown, schemas: Map<string, Json>): unknown {
  if (Array.isArray(value)) return value.map((item) => hoistSchemas(item, schemas));
  if (typeof value !== "object" || value === null) return value;
  const inside = Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      /^examples?$/.test(key) ? member : hoistSchemas(member, schemas),
    ]),
  );
  const { title, ...untitled } = inside;
  if (typeof title !== "string" || !NAME.test(title) || !(isObjectSchema(inside) || inside.enum)) return inside;
  const schema = withoutNull(untitled);
  const known = schemas.get(title);
  if (known && !isDeepStrictEqual(known, schema))
    throw new Error(`Two schemas of the API description have the title ${title}: give one of them another title`);
  schemas.set(title, schema);
  const reference = { $ref: `#/components/schemas/${title}` };
  return isNullable(inside) ? { anyOf: [reference, { type: "null" }] } : reference;
}

const typesOf = ({ type }: Json): unknown[] => [type ?? []].flat();
const isObjectSchema = (schema: Json): boolean => typesOf(schema).includes("object");
const isNullable = (schema: Json): boolean => typesOf(schema).includes("null");

/** The opposite of `nullable`. */
function withoutNull(schema: Json): Json {
  if (!isNullable(schema)) return schema;
  const { anyOf } = schema as { anyOf?: Json[] };
  return { ...schema, type: "object", ...(anyOf ? { anyOf: anyOf.filter(({ type }) => type !== "null") } : {}) };
}

/** Also where a success is plain text. */
function answerRefusalsInJson({ responses }: Operation): void {
  for (const [status, response] of Object.entries(responses)) {
    const [media] = Object.values(response.content ?? {});
    if (isRefusal(status) && media) response.content = { "application/json": media };
  }
}

const isRefusal = (status: string): boolean => status === "default" || Number(status) >= 400;

/** What a reader knows anyway: the schema of a response has its description too, and a parameter is optional. */
function sayOnce({ parameters = [], responses }: Operation): void {
  for (const parameter of parameters) if (parameter.required === false) delete parameter.required;
  for (const { description, content } of Object.values(responses))
    for (const { schema } of Object.values(content ?? {}))
      if (schema?.description === description) delete schema.description;
}

/** Of the parameters of one name, the shape that most operations have is shared. */
function shareParameters(operations: readonly Operation[]): Json {
  const all = operations.flatMap(({ parameters = [] }) => parameters);
  const shared = new Map<string, Parameter>();
  for (const [name, ofName] of Map.groupBy(all, (parameter) => parameter.name)) {
    const shapes = [...Map.groupBy(ofName, (parameter) => JSON.stringify(parameter)).values()];
    const [first, second] = shapes.sort((one, other) => other.length - one.length)[0] ?? [];
    if (first && second) shared.set(pascalCase(name), first);
  }
  for (const operation of operations)
    operation.parameters = operation.parameters?.map((parameter) => {
      const name = pascalCase(parameter.name);
      const isShared = isDeepStrictEqual(shared.get(name), parameter);
      return isShared ? ({ $ref: `#/components/parameters/${name}` } as Parameter) : parameter;
    }) as Parameter[];
  return sorted(shared);
}

/** A response is shared if two operations have it. */
function shareResponses(operations: readonly Operation[]): Record<string, Response> {
  const all = operations.flatMap(({ responses }) => Object.entries(responses));
  const byContent = Map.groupBy(all, ([status, response]) => `${status} ${JSON.stringify(response)}`);
  const shared = new Map<string, Response>();
  for (const [[status, response] = ["", undefined], ...others] of byContent.values()) {
    const name = response && nameOfResponse(status, response);
    if (name && others.length > 0 && !shared.has(name)) shared.set(name, response);
  }
  for (const { responses } of operations)
    for (const [status, response] of Object.entries(responses)) {
      const name = nameOfResponse(status, response);
      if (name && isDeepStrictEqual(shared.get(name), response))
        responses[status] = { $ref: `#/components/responses/${name}` } as Response;
    }
  return sorted(shared);
}

/** A refusal is named by its status, a success by the schema in its envelope. */
function nameOfResponse(status: string, { content }: Response): string | undefined {
  if (isRefusal(status)) return pascalCase(STATUS_CODES[status] ?? "Refusal");
  const schema = content?.["application/json"]?.schema as { properties?: Record<string, Json> } | undefined;
  const [wrapped] = Object.values(schema?.properties ?? {});
  const { $ref, items } = (wrapped ?? {}) as { $ref?: string; items?: { $ref?: string } };
  const named = nameIn($ref);
  const listed = nameIn(items?.$ref);
  return named ?? (listed && `${listed}List`);
}

const nameIn = (reference: string | undefined): string | undefined => reference?.split("/").at(-1);

export const pascalCase = (text: string): string =>
  text.replace(/(?:^|[^A-Za-z]+)([A-Za-z]?)/g, (_, letter: string) => letter.toUpperCase());

const sorted = <T>(byName: ReadonlyMap<string, T>): Record<string, T> =>
  Object.fromEntries([...byName].sort(([one], [other]) => (one < other ? -1 : 1)));
