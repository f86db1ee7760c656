/** A refusal of a request. Thrown in a module, so that the transaction rolls back; `errors.ts` turns it into an answer. */

export type FieldCodes = Readonly<Record<string, readonly string[]>>;
/** Of a list of records: the codes of each that is wrong, by its index. */
export type ItemCodes = Readonly<Record<number, FieldCodes>>;
export type ErrorBody = { status: number; error: string; code?: string; error_details?: FieldCodes | ItemCodes };

/** What a code means and what the caller can do; fills the error reference. */
export type ErrorCatalog = Record<string, { status: 403 | 404 | 405 | 422 | 503; meaning: string }>;

const REASON_PHRASES: Record<number, string> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  408: "Request Timeout",
  413: "Payload Too Large",
  414: "URI Too Long",
  415: "Unsupported Media Type",
  422: "Unprocessable Entity",
  429: "Too Many Requests",
  431: "Request Header Fields Too Large",
  500: "Internal Server Error",
  503: "Service Unavailable",
};

export class Problem extends Error {
  readonly body: ErrorBody;
  readonly retryAfterSeconds: number | undefined;

  constructor(body: ErrorBody, retryAfterSeconds?: number) {
    super(
      `${body.status} ${body.code ?? body.error} ${body.error_details ? JSON.stringify(body.error_details) : ""}`.trim(),
    );
    this.body = body;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** A plain status, with a code where there is one. */
export function refusal(status: number, code?: string, retryAfterSeconds?: number): Problem {
  const error = REASON_PHRASES[status] ?? "Error";
  return new Problem({ status, error, ...(code === undefined ? {} : { code }) }, retryAfterSeconds);
}

/** 422 with a list of codes for each field, or for each field of each item. */
export function invalid(fields: FieldCodes | ItemCodes): Problem {
  return new Problem({
    status: 422,
    error: "Unprocessable Entity",
    code: "validation_errors",
    error_details: fields,
  });
}

/** What a check of core found valid; otherwise 422 with every fault it found. */
export function accept<Value>(checked: { ok: true; value: Value } | { ok: false; error: FieldCodes }): Value {
  if (!checked.ok) throw invalid(checked.error);
  return checked.value;
}

/** 400: the body lacks the member that wraps the payload. */
export function missingEnvelope(name: string): Problem {
  return new Problem({ status: 400, error: `BadRequest: param is missing or the value is empty: ${name}` });
}

/** The codes a module can answer with, each with its meaning, and the way to throw them. */
export function defineErrors<const Catalog extends ErrorCatalog>(catalog: Catalog) {
  type Code = keyof Catalog & string;
  return {
    catalog: catalog as ErrorCatalog,
    problem: (code: Code): Problem => refusal(catalog[code]?.status ?? 500, code),
    invalid: (field: string, code: Code): Problem => invalid({ [field]: [code] }),
  };
}
