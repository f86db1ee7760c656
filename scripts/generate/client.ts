/** The generated part of the client: types, messages, a class for each resource, and the table of operations. */
import {
  comment,
  type Description,
  describeMessages,
  describeSchemas,
  HEAD,
  jsonSchemaOf,
  keyOf,
  type Operation,
  type Parameter,
  resolve,
  type Schema,
  schemasIn,
  typeOf,
} from "./client-types.ts";

const FOLDER = "packages/client/src/generated";
const ROOT = "/api/v1";

/** Names that are better than those made of the operation's id. Names are permanent. */
const CHOSEN: Readonly<Record<string, string>> = {
  applyCoupon: "apply",
  createWalletTransactions: "create",
  getWebhookPublicKey: "getPublicKey",
  listFeeEvents: "listEvents",
  listWalletTransactions: "listTransactions",
  replayWebhooks: "replay",
  searchRecords: "find",
  sendEvents: "sendBatch",
  writeOffInvoice: "writeOff",
};

/** Of these there is a form in JSON. */
const LEFT_OUT = new Set(["getWebhookPublicKeyAsText"]);

/** There is one, so its methods take no id. */
const RESOURCE_NAMES: Readonly<Record<string, string>> = { organizations: "organization" };

type Method = {
  resource: string;
  name: string;
  /** Method and path: `GET /taxes/{code}`. */
  key: string;
  operation: Operation;
  ids: readonly string[];
  body: { name: string; schema: Schema; envelope: string | undefined } | undefined;
  query: readonly Parameter[];
  /** The member of the answer that has the record, or the records. */
  envelope: string;
  answer: Schema;
  meta: Schema | undefined;
};

export function describeClient(text: string): Record<string, string> {
  const description: Description = JSON.parse(text);
  const methods = methodsOf(description);
  return {
    [`${FOLDER}/schemas.ts`]: describeSchemas(description),
    [`${FOLDER}/messages.ts`]: describeMessages(description),
    [`${FOLDER}/resources.ts`]: describeResources(methods, description),
    [`${FOLDER}/operations.ts`]: describeOperations(methods),
  };
}

const pascal = (name: string): string => name.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
const camel = (name: string): string => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
const singular = (name: string): string => name.replace(/(?<=x)es$|s$/, "");

/** The parameter for a part of the path: `svc_id` is `id`. */
const idOf = (name: string): string => camel(name.replace(/^svc_/, ""));

function methodsOf(description: Description): Method[] {
  const methods = Object.entries(description.paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { operationId }]) => path.startsWith(`${ROOT}/`) && !LEFT_OUT.has(operationId))
      .map(([verb, operation]) => methodOf(description, `${verb.toUpperCase()} ${path.slice(ROOT.length)}`, operation)),
  );
  const names = methods.map(({ resource, name }) => `${resource}.${name}`);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice) throw new Error(`two operations would be ${twice}: choose a name for one of them`);
  return methods;
}

function methodOf(description: Description, key: string, operation: Operation): Method {
  const [, first = ""] = key.split("/");
  const answer = jsonSchemaOf(resolve(description, operation.responses["200"] ?? {}));
  const members = Object.keys(answer?.properties ?? {});
  const envelope = members.find((name) => name !== "meta");
  const record = answer?.properties?.[envelope ?? ""];
  if (envelope === undefined || record === undefined) throw new Error(`${key} answers no record`);
  return {
    resource: camel(RESOURCE_NAMES[first] ?? first),
    name: nameOf(operation.operationId, singular(first)),
    key,
    operation,
    ids: Array.from(key.matchAll(/\{(\w+)\}/g), ([, name = ""]) => idOf(name)),
    body: bodyOf(jsonSchemaOf(operation.requestBody ?? {}), operation.operationId),
    query: (operation.parameters ?? [])
      .map((parameter) => resolve<Parameter>(description, parameter))
      .filter((parameter) => parameter.in === "query" && !parameter.name.endsWith("[]")),
    envelope,
    answer: record,
    meta: answer?.properties?.meta,
  };
}

/** `createTax` of the resource tax is `create`. */
function nameOf(operationId: string, resource: string): string {
  const chosen = CHOSEN[operationId];
  if (chosen !== undefined) return chosen;
  const [, verb = "", rest = ""] = /^([a-z]+)(\w*)$/.exec(operationId) ?? [];
  const noun = pascal(resource);
  const others = [`${noun}s`, `${noun}es`, noun.replace(/y$/, "ies"), noun].find((form) => rest.startsWith(form));
  return `${verb}${others === undefined ? rest : rest.slice(others.length)}`;
}

/** A record in its envelope, or a body that has none. */
function bodyOf(schema: Schema | undefined, operationId: string): Method["body"] {
  if (schema === undefined) return undefined;
  const [[envelope, record] = []] = Object.entries(schema.properties ?? {});
  if (envelope === undefined || record === undefined) throw new Error(`${operationId}: a body without members`);
  const isWrapped = record.$ref !== undefined || record.properties !== undefined || record.type === "array";
  return isWrapped
    ? { name: camel(envelope), schema: record, envelope }
    : { name: "body", schema, envelope: undefined };
}

/** Interfaces for people, and a line for each method from which the client makes it: as data they take a third of the bytes. */
function describeResources(methods: readonly Method[], description: Description): string {
  const byResource = [...Map.groupBy(methods, ({ resource }) => resource)];
  const queries = methods.filter(({ query }) => query.length > 0).map(describeQuery);
  const interfaces = byResource.map(
    ([resource, own]) => `export interface ${interfaceOf(resource)} {\n${own.map(describeMethod).join("\n")}}\n`,
  );
  const body = [...queries, ...interfaces].join("\n");
  const members = byResource.map(([resource]) => `  readonly ${resource}: ${interfaceOf(resource)};\n`);
  const lines = byResource.map(
    ([resource, own]) => `  ${resource}: {\n${own.map((method) => `    ${lineOf(method)},\n`).join("")}  },\n`,
  );
  return `${HEAD}import type { RequestOptions } from "../http.ts";
import type { List } from "../list.ts";
import type { ${schemasIn(body, description).join(", ")} } from "./schemas.ts";

${body}
/** Every resource of the API. */
export interface Resources {
${members.join("")}}

/**
 * By resource and method: verb; path; member of the answer, with [] for a list, whose name is by default the end of the path; member of
 * the body, = for that of the answer, * for a body without; ? with a query.
 */
export const METHODS = {
${lines.join("")}} as const;
`;
}

const interfaceOf = (resource: string): string => `${resource.charAt(0).toUpperCase()}${resource.slice(1)}Resource`;

const isOptional = (body: NonNullable<Method["body"]>): boolean =>
  body.envelope === undefined && (body.schema.required ?? []).length === 0;

function describeMethod({ name, operation, ids, body, query, answer, meta }: Method): string {
  const isQueryOptional = query.every(({ required }) => !required);
  const parameters = [
    ...ids.map((id) => `${id}: string`),
    ...(body ? [`${body.name}${isOptional(body) ? "?" : ""}: ${typeOf(body.schema, "  ")}`] : []),
    ...(query.length > 0 ? [`query${isQueryOptional ? "?" : ""}: ${queryName(operation)}`] : []),
    "options?: RequestOptions",
  ];
  const result = meta ? `List<${itemOf(answer)}, ${typeOf(meta)}>` : `Promise<${typeOf(answer, "  ")}>`;
  return `${comment(sentences(operation), "  ")}  ${name}(${parameters.join(", ")}): ${result};\n`;
}

/** What can be seen from the rest is left out, because every user of the client loads it. */
function lineOf({ name, key, body, query, envelope, meta }: Method): string {
  const shown = key.endsWith(`/${envelope}`) ? "" : envelope;
  const content = body === undefined ? "" : (body.envelope ?? "*");
  const parts = [
    key,
    meta ? `${shown}[]` : envelope,
    content === envelope ? "=" : content,
    query.length > 0 ? "?" : "",
  ];
  return `${name}: "${parts.join(" ").trimEnd()}"`;
}

const itemOf = ({ items }: Schema): string => typeOf(items ?? {}, "  ");

const sentences = ({ summary, description }: Operation): string =>
  [`${summary}.`, ...(description ? [description] : [])].join(" ");

const queryName = ({ operationId }: Operation): string =>
  `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Query`;

function describeQuery({ operation, query }: Method): string {
  const members = query.map(({ name, required, schema, description }) => {
    const isList = schema.items !== undefined && [schema.type].flat().includes("array");
    const one = typeOf(isList && schema.items ? schema.items : schema);
    const type = isList ? `${one} | ReadonlyArray<${one}>` : one;
    return `${comment(description, "  ")}  ${keyOf(name)}${required ? "" : "?"}: ${type} | undefined;\n`;
  });
  return `export interface ${queryName(operation)} {\n${members.join("")}}\n`;
}

/** For programs that show what a request does, such as a developer drawer. */
function describeOperations(methods: readonly Method[]): string {
  const rows = methods.map(({ key, resource, name, operation, ids, body, query }) => {
    const row = {
      id: operation.operationId,
      resource,
      method: name,
      summary: operation.summary,
      ids,
      body: body?.name ?? null,
      query: query.map((parameter) => parameter.name),
    };
    return `  ${JSON.stringify(key)}: ${JSON.stringify(row)},\n`;
  });
  return `${HEAD}
/** Every operation by its method and path, as \`onExchange\` names it; \`resource\` and \`method\` are those of this client. */
export const OPERATIONS = {
${rows.join("")}} as const;

export type OperationKey = keyof typeof OPERATIONS;
`;
}
