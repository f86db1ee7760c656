/** Types of the client from the API description: a type for each schema, and one for all webhook messages. */

export type Schema = {
  $ref?: string;
  type?: string | readonly string[];
  const?: unknown;
  enum?: readonly unknown[];
  anyOf?: readonly Schema[];
  items?: Schema;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  additionalProperties?: Schema | boolean;
  description?: string;
};

type Content = { content?: Readonly<Record<string, { schema: Schema }>> };
type Reference = { $ref?: string };
export type Parameter = Reference & {
  name: string;
  in: string;
  required?: boolean;
  schema: Schema;
  description?: string;
};
export type Operation = {
  operationId: string;
  summary: string;
  description?: string;
  parameters?: readonly (Parameter | Required<Reference>)[];
  requestBody?: Content;
  responses: Readonly<Record<string, Reference & Content>>;
};
export type Description = {
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  webhooks: Readonly<Record<string, Readonly<Record<"post", Operation>>>>;
  components: Readonly<Record<string, Readonly<Record<string, unknown>>>> & {
    schemas: Readonly<Record<string, Schema>>;
  };
};

export const HEAD = "// Generated from the API description by npm run generate. Do not edit.\n";

const isName = (text: string): boolean => /^[A-Za-z_$][\w$]*$/.test(text);
export const keyOf = (name: string): string => (isName(name) ? name : JSON.stringify(name));

export const jsonSchemaOf = ({ content }: Content): Schema | undefined => content?.["application/json"]?.schema;

/** What a reference leads to. */
export function resolve<Node extends object>(description: Description, node: Node | Required<Reference>): Node {
  if (!("$ref" in node) || typeof node.$ref !== "string") return node as Node;
  const found = node.$ref
    .slice(2)
    .split("/")
    .reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], description);
  return found as Node;
}

export function comment(text: string | undefined, pad = ""): string {
  if (!text) return "";
  const lines = text.replaceAll("*/", "*\\/").split("\n");
  if (lines.length === 1) return `${pad}/** ${lines[0]} */\n`;
  return `${pad}/**\n${lines.map((line) => `${pad} * ${line}\n`).join("")}${pad} */\n`;
}

/** A schema as TypeScript; `pad` is the indentation of the line it is on. */
export function typeOf(schema: Schema, pad = ""): string {
  if (schema.$ref !== undefined) return schema.$ref.split("/").at(-1) ?? "";
  const alternatives = schema.anyOf?.map((one) => typeOf(one, pad));
  if (alternatives) return [...new Set(alternatives)].join(" | ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const kinds = [schema.type ?? []].flat();
  return kinds.length === 0 ? "unknown" : [...new Set(kinds.map((kind) => typeOfKind(kind, schema, pad)))].join(" | ");
}

function typeOfKind(kind: string, schema: Schema, pad: string): string {
  if (kind === "integer" || kind === "number") return "number";
  if (kind === "array") return arrayOf(schema.items ?? {}, pad);
  if (kind !== "object") return kind;
  if (schema.properties) return membersOf(schema, pad);
  const values = schema.additionalProperties;
  return `Record<string, ${typeof values === "object" ? typeOf(values, pad) : "unknown"}>`;
}

function arrayOf(items: Schema, pad: string): string {
  const item = typeOf(items, pad);
  return /^[\w"]+$/.test(item) ? `${item}[]` : `Array<${item}>`;
}

function membersOf({ properties = {}, required = [], additionalProperties }: Schema, pad: string): string {
  const lines = Object.entries(properties).map(([name, member]) => {
    const mark = required.includes(name) ? "" : "?";
    return `${comment(member.description, `${pad}  `)}${pad}  ${keyOf(name)}${mark}: ${typeOf(member, `${pad}  `)};\n`;
  });
  const others = typeof additionalProperties === "object" ? `${pad}  [name: string]: unknown;\n` : "";
  return `{\n${lines.join("")}${others}${pad}}`;
}

/** A type for each schema of the description. */
export function describeSchemas({ components }: Description): string {
  const declarations = Object.entries(components.schemas).map(([name, schema]) => {
    const isInterface = schema.type === "object" && schema.properties !== undefined && schema.anyOf === undefined;
    const body = isInterface ? `interface ${name} ${typeOf(schema)}` : `type ${name} = ${typeOf(schema)};`;
    return `${comment(schema.description)}export ${body}\n`;
  });
  return `${HEAD}\n${declarations.join("\n")}`;
}

/** The names of schemas that a text uses. */
export function schemasIn(text: string, { components }: Description): string[] {
  const names = new Set(text.match(/\b[A-Z]\w+\b/g));
  return Object.keys(components.schemas)
    .filter((name) => names.has(name))
    .sort();
}

/** The messages that a webhook can have; `webhook_type` says which it is. */
export function describeMessages(description: Description): string {
  const messages = Object.values(description.webhooks).map(({ post }) => {
    const schema = jsonSchemaOf(post.requestBody ?? {});
    if (schema === undefined) throw new Error(`${post.operationId} has no body`);
    return `${comment(post.summary, "  ")}  | ${typeOf(schema, "  ")}`;
  });
  const union = `/** A message of a webhook. A later version of the service may send other types: ignore those that you do not know. */
export type WebhookMessage =\n${messages.join("\n")};\n`;
  const names = schemasIn(union, description);
  return `${HEAD}import type { ${names.join(", ")} } from "./schemas.ts";\n\n${union}`;
}
