/** The operations of the API, read from the description that the running service gives of itself. */
import Fastify, { type FastifyInstance, type FastifySchemaCompiler } from "fastify";
import { FORMATS, isOfFormat } from "../../packages/server/src/http/formats.ts";
import { resolveRefs } from "../../packages/server/src/testing/resolve-refs.ts";
import type { Schema } from "./values.ts";

export type Method = "GET" | "POST" | "PUT" | "DELETE";

export type Operation = {
  /** "PUT /invoices/:svc_id", as samples name it. */
  name: string;
  method: Method;
  /** Below /api/v1, with `{svc_id}`. */
  path: string;
  query: readonly { name: string; schema: Schema }[];
  body: Schema | undefined;
  takesIdempotencyKey: boolean;
  /** What an answer of this status breaks in the schema that is declared for it; undefined where the status is not declared. */
  faultsOf: (status: number, answer: unknown) => readonly string[] | undefined;
  /** What a body breaks in the schema of requests. */
  isDescribed: (body: unknown) => boolean;
};

type Parameter = { in: string; name: string; schema: Schema };
type Content = { content?: Record<string, { schema?: Schema }> };
type Described = { parameters?: Parameter[]; requestBody?: Content; responses: Record<string, Content> };
type Document = { paths: Record<string, Record<string, Described>> };

const PREFIX = "/api/v1";

export async function readOperations(app: FastifyInstance): Promise<Operation[]> {
  await app.ready();
  const compiler = await openCompiler();
  const document: Document = resolveRefs((await app.inject({ url: "/openapi.json" })).json());
  return Object.entries(document.paths)
    .filter(([path]) => path.startsWith(PREFIX))
    .flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, described]) =>
        toOperation(compiler, method.toUpperCase() as Method, path.slice(PREFIX.length), described),
      ),
    );
}

function toOperation(compiler: Compiler, method: Method, path: string, described: Described): Operation {
  const { parameters = [], requestBody, responses } = described;
  const sent = requestBody?.content?.["application/json"]?.schema;
  const body = path === "/organizations" && sent ? withoutFieldPrefix(sent) : sent;
  const validators = new Map<number, Validator>();
  const validatorOf = (status: number, schema: Schema): Validator => {
    const known = validators.get(status) ?? compile(compiler, schema);
    validators.set(status, known);
    return known;
  };
  const described200 = body && compile(compiler, body);
  return {
    name: `${method} ${path.replace(/\{(\w+)\}/g, ":$1")}`,
    method,
    path,
    query: parameters.filter((parameter) => parameter.in === "query"),
    body,
    takesIdempotencyKey: parameters.some(({ name }) => name === "Idempotency-Key"),
    faultsOf: (status, answer) => {
      const declared =
        responses[String(status)] ?? (DECLARED_BY_DEFAULT.includes(status) ? responses.default : undefined);
      if (!declared) return undefined;
      const schema = declared.content?.["application/json"]?.schema;
      return schema ? validatorOf(status, schema)(answer) : [];
    },
    isDescribed: (given) => described200 === undefined || described200(given).length === 0,
  };
}

/** With another prefix, the answers would have other names than the description that is read here. */
const withoutFieldPrefix = (schema: Schema): Schema =>
  JSON.parse(JSON.stringify(schema), (name, member) => (name === "field_prefix" ? undefined : member));

/** The statuses that the text of the default response names. */
const DECLARED_BY_DEFAULT = [400, 403, 405, 413, 414, 415, 503];

type Compiler = FastifySchemaCompiler<unknown>;
type Validator = (value: unknown) => string[];

/** Ajv as Fastify brings it, set to change nothing that it reads. */
async function openCompiler(): Promise<Compiler> {
  const formats = Object.fromEntries(Object.entries(FORMATS).map(([name, format]) => [name, isOfFormat(format)]));
  const customOptions = {
    coerceTypes: false,
    useDefaults: false,
    removeAdditional: false,
    allErrors: true,
    strict: false,
    formats,
  } as const;
  const app = Fastify({ ajv: { customOptions } });
  app.post("/", { schema: { body: { type: "object" } } }, async () => "");
  await app.ready();
  if (!app.validatorCompiler) throw new Error("Fastify has no validator.");
  return app.validatorCompiler;
}

function compile(compiler: Compiler, schema: Schema): Validator {
  const validate = compiler({ schema, method: "POST", url: "", httpPart: "body" }) as ((value: unknown) => boolean) & {
    errors?: { instancePath: string; message?: string }[] | null;
  };
  return (value) => {
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };
}
