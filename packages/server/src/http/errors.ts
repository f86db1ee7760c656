/** Turns every failure of a request into a documented response. */
import type { Socket } from "node:net";
import type {
  ConnectionError,
  FastifyError,
  FastifyReply,
  FastifyRequest,
  FastifySchemaValidationError,
} from "fastify";
import { isPassingFault } from "../platform/postgres/passing-fault.ts";
import { FORMATS } from "./formats.ts";
import { type FieldCodes, invalid, missingEnvelope, Problem, refusal } from "./problem.ts";

/** A body can violate a schema in thousands of places; the first errors are enough to fix it. */
const REPORTED_ERRORS_MAX = 50;

const UNREADABLE: Record<string, number> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

export function answerError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = toProblem(error);
  if (problem.body.status >= 500) request.log.error({ err: error }, "request failed");
  if (problem.retryAfterSeconds !== undefined) reply.header("Retry-After", String(problem.retryAfterSeconds));
  return reply.status(problem.body.status).type("application/json").serializer(JSON.stringify).send(problem.body);
}

/** The bytes are not HTTP, or the request is incomplete: there is no reply to send, only a socket to write to. */
export function answerUnreadable(error: ConnectionError, socket: Socket): void {
  if (error.code === "ECONNRESET" || socket.destroyed) return;
  const { body } = refusal(UNREADABLE[error.code] ?? 400);
  const text = JSON.stringify(body);
  const head = [
    `HTTP/1.1 ${body.status} ${body.error}`,
    "Content-Type: application/json",
    `Content-Length: ${text.length}`,
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

function toProblem(error: FastifyError): Problem {
  if (error instanceof Problem) return error;
  if (error.validation) return fromValidation(error.validation, error.validationContext);
  const fromDatabase = fromPostgres(error);
  if (fromDatabase) return fromDatabase;
  const status = error.statusCode ?? 500;
  return refusal(status >= 400 && status < 500 ? status : 500);
}

type SchemaError = FastifySchemaValidationError & {
  data?: unknown;
  parentSchema?: Record<string, unknown> & { required?: string[] };
};

/** The codes of each field of the record in an envelope. Throws if the envelope itself is wrong. */
export function codesOfRecord(errors: readonly FastifySchemaValidationError[]): FieldCodes {
  const fault = findEnvelopeFault(errors as SchemaError[]);
  if (fault) throw fault;
  return codesByField(errors as SchemaError[]);
}

/** The same for each item of a list in an envelope, by its index. */
export function codesOfItems(errors: readonly FastifySchemaValidationError[]): Map<number, FieldCodes> {
  const fault = findEnvelopeFault(errors as SchemaError[]);
  if (fault) throw fault;
  const byItem = Map.groupBy(errors as SchemaError[], ({ instancePath }) => Number(instancePath.split("/")[2]));
  return new Map([...byItem].map(([index, own]) => [index, codesByField(own)]));
}

/** Only a body has an envelope; in a query, the missing member is a field. */
function fromValidation(errors: readonly SchemaError[], where: string | undefined): Problem {
  return (where === "body" ? findEnvelopeFault(errors) : undefined) ?? invalid(codesByField(errors));
}

/** Absent, or not an object. */
function findEnvelopeFault(errors: readonly SchemaError[]): Problem | undefined {
  for (const error of errors.slice(0, REPORTED_ERRORS_MAX)) {
    const segments = error.instancePath.split("/").slice(1);
    if (error.keyword === "required" && segments.length === 0)
      return missingEnvelope(String(error.params.missingProperty));
    const isEnvelope = segments.length <= 1 && ["object", "array"].includes(String(error.params.type));
    if (error.keyword === "type" && isEnvelope)
      return missingEnvelope(segments[0] ?? error.parentSchema?.required?.[0] ?? "body");
  }
  return undefined;
}

function codesByField(errors: readonly SchemaError[]): FieldCodes {
  // Without a prototype: a member may be called "constructor".
  const fields: Record<string, string[]> = Object.create(null);
  for (const error of errors.slice(0, REPORTED_ERRORS_MAX)) {
    const segments = error.instancePath.split("/").slice(1);
    const field = error.keyword === "required" ? String(error.params.missingProperty) : innermostMember(segments);
    fields[field] = [...new Set([...(fields[field] ?? []), codeOf(error)])];
  }
  return fields;
}

/** `/customer/metadata/0/key` is about `key`, `/organization/email_settings/1` about `email_settings`. */
function innermostMember(segments: string[]): string {
  return segments.findLast((segment) => !/^\d+$/.test(segment)) ?? "base";
}

function codeOf(error: SchemaError): string {
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
  if (error.code === "55P03" || isPassingFault(error)) return refusal(503, undefined, 1);
  return undefined;
}
