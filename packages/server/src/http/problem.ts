/** A refusal of a request. Thrown in a module, so that the transaction rolls back; `errors.ts` turns it into a response. */
import { STATUSES } from "./statuses.ts";

/** So many faults of a request are reported. It can have thousands; the first are enough to correct it. */
export const FAULTS_MAX = 20;

/** Codes by the path of a member: `timezone`, or `charges[1].properties`. */
export type FieldCodes = Readonly<Record<string, readonly string[]>>;
/** For a list of records: the codes of each invalid record, by its index. */
export type ItemCodes = Readonly<Record<number, FieldCodes>>;

export type Limit = { minimum?: number; maximum?: number; maxLength?: number; minLength?: number };
/** One fault of one member. The message, the allowed values and the limits are added when the refusal is answered. */
export type ErrorEntry = {
  path: string;
  code: string;
  message?: string;
  allowed?: readonly unknown[];
  limit?: Limit;
};

export type ErrorBody = {
  status: number;
  error: string;
  code?: string;
  message?: string;
  error_details?: FieldCodes | ItemCodes;
  errors?: readonly ErrorEntry[];
};

/** The meaning of a code and what the caller can do. It is the message of the refusal, and becomes the error reference. */
export type ErrorCatalog = Record<string, { status: 403 | 404 | 405 | 410 | 412 | 422 | 503; meaning: string }>;

export class Problem extends Error {
  readonly body: ErrorBody;
  readonly retryAfterSeconds: number | undefined;
  /** The methods of a path, if the request has another. */
  readonly allow: string | undefined;

  constructor(body: ErrorBody, { retryAfterSeconds, allow }: Pick<Answered, "retryAfterSeconds" | "allow"> = {}) {
    super(
      `${body.status} ${body.code ?? body.error} ${body.error_details ? JSON.stringify(body.error_details) : ""}`.trim(),
    );
    this.body = body;
    this.retryAfterSeconds = retryAfterSeconds;
    this.allow = allow;
  }
}

type Answered = { message?: string; retryAfterSeconds?: number; allow?: string };

/** A plain status, with an optional code. Without a message, it has that of its status. */
export function refusal(status: number, code?: string, { message, ...headers }: Answered = {}): Problem {
  const error = STATUSES[status]?.phrase ?? "Error";
  return new Problem(
    { status, error, ...(code === undefined ? {} : { code }), ...(message === undefined ? {} : { message }) },
    headers,
  );
}

/** 422 with a list of codes for each field. */
export const invalid = (fields: FieldCodes): Problem => invalidMembers(entriesOf(fields));

export function invalidMembers(errors: readonly ErrorEntry[]): Problem {
  const first = errors.slice(0, FAULTS_MAX);
  return unprocessable(detailsOf(first), first);
}

/** 422 with a list of codes for each field of each item of a list. The name is empty where the list is the body. */
export function invalidItems(list: string, items: ReadonlyMap<number, FieldCodes>): Problem {
  const entries = [...items].map(([index, fields]) => [index, entriesOf(fields)] as const);
  return unprocessable(
    Object.fromEntries(entries.map(([index, own]) => [index, detailsOf(own)])),
    entries.flatMap(([index, own]) =>
      own.map(({ path, code }) => ({ path: `${list}[${index}]${isOfWhole(path, list) ? "" : `.${path}`}`, code })),
    ),
  );
}

/** An item that is not an object has a fault under the name of the list. */
const isOfWhole = (path: string, list: string): boolean => path === (list === "" ? "base" : list);

export const entriesOf = (fields: FieldCodes): ErrorEntry[] =>
  Object.entries(fields).flatMap(([path, codes]) => codes.map((code) => ({ path, code })));

const unprocessable = (error_details: FieldCodes | ItemCodes, errors: readonly ErrorEntry[]): Problem =>
  new Problem({ status: 422, error: "Unprocessable Entity", code: "validation_errors", error_details, errors });

/** Each code once, under the innermost name of its path: `charges[1].properties` is about `properties`. */
function detailsOf(errors: readonly ErrorEntry[]): FieldCodes {
  // Without a prototype: a member may be called "constructor".
  const fields: Record<string, string[]> = Object.create(null);
  for (const { path, code } of errors) {
    const field = innermostOf(path);
    fields[field] = [...new Set([...(fields[field] ?? []), code])];
  }
  return fields;
}

export const innermostOf = (path: string): string => path.replace(/(\[\d+\])+$/, "").replace(/^.*\./, "") || "base";

/** Returns a valid result of core; otherwise throws 422 with every fault found. */
export function accept<Value>(checked: { ok: true; value: Value } | { ok: false; error: FieldCodes }): Value {
  if (!checked.ok) throw invalid(checked.error);
  return checked.value;
}

/** 400: the body lacks the member that wraps the payload. */
export function missingEnvelope(name: string): Problem {
  return new Problem({
    status: 400,
    error: `BadRequest: param is missing or the value is empty: ${name}`,
    message: `The body lacks the member "${name}". Send {"${name}": …}.`,
  });
}

/** A request can name many codes. The first are enough to start with. */
const QUOTED_MAX = 20;

const quoted = (names: readonly string[]): string =>
  [...new Set(names)]
    .slice(0, QUOTED_MAX)
    .map((name) => JSON.stringify(name))
    .join(", ");

/** The codes that a module can respond with, each with its meaning, and the functions that throw them. */
export function defineErrors<const Catalog extends ErrorCatalog>(catalog: Catalog) {
  type Code = keyof Catalog & string;
  return {
    catalog: catalog as ErrorCatalog,
    /** `unknown`: of the codes or ids that the request names, those that do not exist. */
    problem: (code: Code, unknown: readonly string[] = []): Problem =>
      refusal(catalog[code]?.status ?? 500, code, {
        message: `${catalog[code]?.meaning}${unknown.length === 0 ? "" : ` Not found: ${quoted(unknown)}.`}`,
      }),
    invalid: (path: string, code: Code): Problem =>
      invalidMembers([{ path, code, ...(catalog[code] ? { message: catalog[code].meaning } : {}) }]),
  };
}
