/** Turns every failure of a request into a documented response. */
import type { Socket } from "node:net";
import type {
  ConnectionError,
  FastifyError,
  FastifyReply,
  FastifyRequest,
  FastifySchemaValidationError,
} from "fastify";
import { newId } from "../platform/new-id.ts";
import { isPassingFault } from "../platform/postgres/passing-fault.ts";
import { bodySchemaOf, isForeign } from "./body-schema.ts";
import { completeBody, type ErrorContext, type MeaningOf } from "./error-messages.ts";
import { OWN_PREFIX, prefixOf } from "./field-prefix.ts";
import { FORMATS } from "./formats.ts";
import { type Path, pathText } from "./known-members.ts";
import {
  type ErrorEntry,
  FAULTS_MAX,
  type FieldCodes,
  invalid,
  invalidMembers,
  missingEnvelope,
  Problem,
  refusal,
} from "./problem.ts";

const NOT_HTTP =
  "The request is not HTTP/1.1, or has a method or header that does not exist there. Check the client or the proxy.";

const UNREADABLE: Record<string, number> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

export type AnswerError = (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => FastifyReply;

export const createAnswerError =
  (meaningOf: MeaningOf): AnswerError =>
  (error, request, reply) => {
    const { body, retryAfterSeconds, allow } = toProblem(error, request.unknownMembers);
    if (body.status >= 500) request.log.error({ err: error }, "request failed");
    if (retryAfterSeconds !== undefined) reply.header("Retry-After", String(retryAfterSeconds));
    if (allow !== undefined) reply.header("Allow", allow);
    const completed = completeBody(body, {
      meaningOf,
      requestId: request.id,
      prefix: prefixOf(request),
      ...expectedOf(request),
    });
    return reply.status(body.status).type("application/json").serializer(JSON.stringify).send(completed);
  };

function expectedOf(request: FastifyRequest): Pick<ErrorContext, "schema" | "known"> {
  const { schema, config } = request.routeOptions;
  if (!isForeign(request)) return { schema: { ...schema, body: bodySchemaOf(schema?.body) }, known: config.known };
  return {
    schema: { ...schema, body: bodySchemaOf(schema?.body, request.mediaType) },
    known: { body: null, query: config.known?.query ?? [] },
  };
}

/** The bytes are not HTTP, or the request is incomplete: there is no reply to send, only a socket to write to. */
export function answerUnreadable(error: ConnectionError, socket: Socket): void {
  if (error.code === "ECONNRESET" || socket.destroyed) return;
  const status = UNREADABLE[error.code];
  const { body } = status === undefined ? refusal(400, undefined, { message: NOT_HTTP }) : refusal(status);
  const context = { meaningOf: () => undefined, requestId: newId(), prefix: OWN_PREFIX };
  const text = JSON.stringify(completeBody(body, context));
  const head = [
    `HTTP/1.1 ${body.status} ${body.error}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(text)}`,
    "Connection: close",
  ];
  if (socket.writable) socket.write(`${head.join("\r\n")}\r\n\r\n${text}`);
  socket.destroy(error);
}

/** The refusal that an error means; undefined for a bug or a temporary fault. */
export function asRefusal(error: unknown): Problem | undefined {
  const problem = error instanceof Problem ? error : fromPostgres(error as FastifyError);
  return problem && problem.body.status < 500 ? problem : undefined;
}

function toProblem(error: FastifyError, unknown: readonly SchemaError[] = []): Problem {
  if (error instanceof Problem) return error;
  if (error.validation) return fromValidation([...error.validation, ...unknown], error.validationContext);
  const fromDatabase = fromPostgres(error);
  if (fromDatabase) return fromDatabase;
  const status = error.statusCode ?? 500;
  return refusal(status >= 400 && status < 500 ? status : 500);
}

export type SchemaError = FastifySchemaValidationError & {
  data?: unknown;
  parentSchema?: Record<string, unknown> & { required?: string[] };
};

/** The codes of each field of the record in an envelope. Throws if the envelope itself is wrong. */
export const codesOfRecord = (request: FastifyRequest): FieldCodes =>
  // A member that is not known keeps its full path: no rule adds codes to it.
  codesOf(faultsOf(request), (path, { keyword }) => (keyword === "unknown" ? path : path.slice(1)));

/** The same for each item of a list in an envelope, by its index. */
export function codesOfItems(request: FastifyRequest): Map<number, FieldCodes> {
  const byItem = Map.groupBy(faultsOf(request), ({ instancePath }) => Number(instancePath.split("/")[2]));
  return new Map(
    [...byItem].map(([index, own]) => [
      index,
      codesOf(own, (path) => (path.length > 2 ? path.slice(2) : path.slice(0, 1))),
    ]),
  );
}

/** The codes of each field of a body that has no envelope. */
export const codesOfBareRecord = ({ validationError, unknownMembers }: FastifyRequest): FieldCodes =>
  codesOf([...(validationError?.validation ?? []), ...unknownMembers], (path) => path);

/** The same for each item of a list that has no envelope, by its index. */
export function codesOfBareItems({ validationError, unknownMembers }: FastifyRequest): Map<number, FieldCodes> {
  const errors: SchemaError[] = [...(validationError?.validation ?? []), ...unknownMembers];
  const [ofItems, others] = [errors.filter(isOfItem), errors.filter((error) => !isOfItem(error))];
  if (others.length > 0) throw invalidMembers(entriesOf(others));
  const byItem = Map.groupBy(ofItems, ({ instancePath }) => Number(instancePath.split("/")[1]));
  return new Map([...byItem].map(([index, own]) => [index, codesOf(own, (path) => path.slice(1))]));
}

const isOfItem = ({ instancePath }: SchemaError): boolean => /^\/\d+/.test(instancePath);

function faultsOf({ validationError, unknownMembers }: FastifyRequest): SchemaError[] {
  const errors: SchemaError[] = [...(validationError?.validation ?? []), ...unknownMembers];
  const fault = findEnvelopeFault(errors);
  if (fault) throw fault;
  return errors;
}

type Shorten = (path: Path, error: SchemaError) => Path;

function codesOf(errors: readonly SchemaError[], shorten: Shorten): FieldCodes {
  const byPath = Map.groupBy(entriesOf(errors, shorten), ({ path }) => path);
  return Object.fromEntries([...byPath].map(([path, entries]) => [path, entries.map(({ code }) => code)]));
}

/** Only a body has an envelope; in a query, the missing member is a field. */
function fromValidation(errors: readonly SchemaError[], where: string | undefined): Problem {
  return (where === "body" ? findEnvelopeFault(errors) : undefined) ?? invalidMembers(entriesOf(errors));
}

/** For members that no schema knows. */
export const refuseMembers = (errors: readonly SchemaError[]): Problem => invalidMembers(entriesOf(errors));

/** Absent, or not an object. */
function findEnvelopeFault(errors: readonly SchemaError[]): Problem | undefined {
  for (const error of errors.slice(0, FAULTS_MAX)) {
    const segments = error.instancePath.split("/").slice(1);
    if (error.keyword === "required" && segments.length === 0)
      return missingEnvelope(String(error.params.missingProperty));
    const isEnvelope = segments.length <= 1 && ["object", "array"].includes(String(error.params.type));
    if (error.keyword === "type" && isEnvelope)
      return missingEnvelope(segments[0] ?? error.parentSchema?.required?.[0] ?? "body");
  }
  return undefined;
}

/** A union reports one error for each of its branches: each fault of a member counts once. */
function entriesOf(errors: readonly SchemaError[], shorten: Shorten = (path) => path): ErrorEntry[] {
  const entries = errors.slice(0, FAULTS_MAX).map((error): ErrorEntry => {
    const missing = error.keyword === "required" ? [String(error.params.missingProperty)] : [];
    const path = pathText(shorten([...stepsOf(error.instancePath), ...missing], error)) || "base";
    return { path, code: codeOf(error) };
  });
  return [...new Map(entries.map((entry) => [`${entry.path} ${entry.code}`, entry])).values()];
}

/** From a JSON pointer. */
const stepsOf = (pointer: string): Path =>
  pointer
    .split("/")
    .slice(1)
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step.replaceAll("~1", "/").replaceAll("~0", "~")));

function codeOf(error: SchemaError): string {
  if (error.keyword === "unknown") return "unknown_member";
  if (error.keyword === "required") return "value_is_mandatory";
  if (error.keyword === "type")
    return error.data === null
      ? "value_is_mandatory"
      : String(error.parentSchema?.["x-type-code"] ?? "value_is_invalid");
  if (error.keyword === "maxLength") return "value_is_too_long";
  const own = error.parentSchema?.["x-code"];
  if (typeof own === "string") return own;
  if (error.keyword === "format") return FORMATS[String(error.params.format)]?.code ?? "value_is_invalid";
  if (error.keyword === "minLength") return "value_is_too_short";
  if (error.keyword === "minimum" || error.keyword === "maximum") return "value_is_out_of_range";
  return "value_is_invalid";
}

/** A unique index or exclusion named `table__field` guarantees that a field is unique. This is the error that it causes. */
function fromPostgres(error: FastifyError & { constraint?: string }): Problem | undefined {
  if (error.code === "23505" || error.code === "23P01") {
    const field = /__(\w+)$/.exec(error.constraint ?? "")?.[1];
    return field === undefined ? undefined : invalid({ [field]: ["value_already_exist"] });
  }
  // A lock timeout (55P03), a database that is briefly unavailable, or work that kept changing: the same request may succeed later.
  if (error.code === "55P03" || isPassingFault(error)) return refusal(503, undefined, { retryAfterSeconds: 1 });
  return undefined;
}
