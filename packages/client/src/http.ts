/** How a request is made: safe retries, errors with a type, records without their envelope. */
import { type ErrorDetails, errorOf, TallystickError, UnavailableError } from "./errors.ts";
import { type LargeNumbers, parseExact, stringifyExact } from "./exact-json.ts";
import type { Fault } from "./generated/schemas.ts";
import { List } from "./list.ts";

export type TallystickOptions = {
  /** Where the service is: `https://billing.example.com`. */
  url: string;
  /** An API key. */
  key: string;
  /** How often a request that may be repeated is repeated. Default 4. */
  retries?: number;
  /** For one attempt. Default 30,000. */
  timeoutMs?: number;
  /** A longer `Retry-After` is not waited for: the error comes at once. Default 60,000. */
  retryAfterMaxMs?: number;
  /** What becomes of a whole number beyond 2^53: an error (the default), or a bigint. */
  largeNumbers?: LargeNumbers;
  /** Sees every attempt with its answer, for logs and developer tools. The API key is not in it. */
  onExchange?: (exchange: Exchange) => void;
  /** Sees each `Warning` of the service: the request was done, but a part of it has no effect. */
  onWarning?: (warning: string, exchange: Exchange) => void;
  fetch?: typeof fetch;
  /** A number from 0 to 1 for the jitter of retries; for tests. */
  random?: () => number;
  /** Waits before a retry; for tests. */
  sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
};

export type RequestOptions = {
  /** The key of a POST. By default each call has a new one, so that its retries have no second effect. Empty: none, and no retries. */
  idempotencyKey?: string;
  /** Changes the record only if it is still as it was read: the record itself, or its ETag. */
  ifMatch?: string | object;
  signal?: AbortSignal;
};

export type Exchange = {
  /** Method and path as in the table of operations: `GET /taxes/{code}`. */
  operation: string;
  url: string;
  /** From 1 on. */
  attempt: number;
  /** The JSON that was sent. */
  body: string | undefined;
  /** 0 if no answer came. */
  status: number;
  /** The text that came. */
  answer: string;
  requestId: string | undefined;
  warnings: readonly string[];
  milliseconds: number;
};

type Request = RequestOptions & { body?: unknown; query?: object | undefined };
type Attempt = { operation: string; url: string; init: RequestInit & { body?: string }; signal?: AbortSignal };
type Answer = { text: string; etag: string | undefined } & ErrorDetails;

const MAY_PASS = new Set([0, 429, 502, 503, 504]);
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 8_000;

/** Of records that were read, so that `ifMatch` can take the record. */
const etags = new WeakMap<object, string>();

/** The ETag that a record was read with. */
export const etagOf = (record: object): string | undefined => etags.get(record);

export class Http {
  readonly #options: TallystickOptions;
  constructor(options: TallystickOptions) {
    this.#options = options;
  }

  /** One record, out of its envelope. */
  async one<Record>(operation: string, ids: string[], envelope: string, request: Request): Promise<Record> {
    const answer = await this.send(operation, ids, request);
    const record = this.#valueOf(answer)[envelope] as Record;
    const { etag } = answer;
    if (etag && typeof record === "object" && record) etags.set(record, etag);
    return record;
  }

  list<Item, Meta>(operation: string, ids: string[], envelope: string, request: Request): List<Item, Meta> {
    return new List(
      async (query) => {
        const { meta, [envelope]: items } = this.#valueOf(await this.send(operation, ids, { ...request, query }));
        return { items: items as Item[], meta: meta as Meta };
      },
      (request.query ?? {}) as { [name: string]: unknown },
    );
  }

  /** Sends until there is an answer that decides, or no retry is left. A string is sent as it is. */
  async send(operation: string, ids: readonly string[], request: Request): Promise<Answer> {
    const { retries = 4, random = Math.random, sleep = wait, retryAfterMaxMs = 60_000 } = this.#options;
    const attempt = this.#attemptOf(operation, ids, request);
    const mayRepeat = attempt.init.method !== "POST" || operation.startsWith("POST /events") || hasKey(attempt);
    for (let count = 1; ; count++) {
      const outcome = await this.#try(attempt, count);
      const isRepeated = "text" in outcome ? outcome.status === 202 : mayRepeat && MAY_PASS.has(outcome.status);
      const jitter = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (count - 1)) * (0.5 + random() / 2);
      const waitMs = Math.max(jitter, (outcome.retryAfterSeconds ?? 0) * 1000);
      if (!isRepeated || count > retries || waitMs > retryAfterMaxMs) {
        if (!("text" in outcome)) throw outcome;
        if (outcome.status !== 202) return outcome;
        throw new UnavailableError("The document is not ready. Repeat the request later.", { ...outcome });
      }
      // A first answer that says "later" would be the answer to this key for a day.
      if ("text" in outcome) setKey(attempt, crypto.randomUUID());
      await sleep(waitMs, request.signal);
    }
  }

  #attemptOf(operation: string, ids: readonly string[], request: Request): Attempt {
    const [method = "", template = ""] = operation.split(" ");
    const { body, signal, idempotencyKey, ifMatch } = request;
    const headers: Record<string, string> = {
      authorization: `Bearer ${this.#options.key}`,
      accept: "application/json",
    };
    if (body !== undefined) headers["content-type"] = "application/json";
    const etag = typeof ifMatch === "object" ? etagOf(ifMatch) : ifMatch;
    if (ifMatch !== undefined && etag === undefined) throw new TypeError("ifMatch: this record has no ETag.");
    if (etag !== undefined) headers["if-match"] = etag;
    // Events have an identity of their own, and are faster without.
    const key = idempotencyKey ?? (operation.startsWith("POST /events") ? undefined : crypto.randomUUID());
    if (method === "POST" && key) headers["idempotency-key"] = key;
    const text = typeof body === "string" || body === undefined ? body : stringifyExact(body);
    return {
      operation,
      url: `${this.#options.url.replace(/\/+$/, "")}/api/v1${pathOf(template, ids)}${searchOf(request.query ?? {})}`,
      // A redirect would make a GET of a POST.
      init: { method, headers, redirect: "manual", ...(text === undefined ? {} : { body: text }) },
      ...(signal ? { signal } : {}),
    };
  }

  /** Resolves with what came of it: an answer, or an error that is not thrown yet. */
  async #try({ operation, url, init, signal }: Attempt, attempt: number): Promise<Answer | TallystickError> {
    const { timeoutMs = 30_000, fetch = globalThis.fetch } = this.#options;
    const timeout = AbortSignal.timeout(timeoutMs);
    const begun = performance.now();
    const exchange = { operation, url, attempt, body: init.body, status: 0, answer: "" };
    let response: Response | undefined;
    let failure: unknown;
    try {
      response = await fetch(url, { ...init, signal: signal ? AbortSignal.any([signal, timeout]) : timeout });
      exchange.answer = await response.text();
      exchange.status = response.status;
    } catch (error) {
      signal?.throwIfAborted();
      failure = error;
    }
    const header = (name: string): string | undefined => response?.headers.get(name) ?? undefined;
    const [requestId, warnings] = [header("x-request-id"), warningsIn(header("warning") ?? "")];
    this.#show({ ...exchange, requestId, warnings, milliseconds: performance.now() - begun });
    const seconds = Number(header("retry-after") ?? Number.NaN);
    const retryAfterSeconds = seconds >= 0 ? seconds : undefined;
    const { status, answer } = exchange;
    if (status === 0) {
      const details = { status, attempts: attempt, cause: failure };
      return new UnavailableError(`${operation}: no answer, so the outcome is unknown.`, details);
    }
    if (status >= 300) return refusalOf(answer, { status, requestId, retryAfterSeconds, attempts: attempt });
    return { text: answer, etag: header("etag"), status, requestId, retryAfterSeconds, attempts: attempt };
  }

  #valueOf({ text, ...details }: Answer): { [name: string]: unknown } {
    try {
      return parseExact(text || "{}", this.#options.largeNumbers) as { [name: string]: unknown };
    } catch (cause) {
      if (cause instanceof RangeError) throw cause;
      throw new TallystickError("The answer is not JSON. Is url the address of the service?", { ...details, cause });
    }
  }

  #show(exchange: Exchange): void {
    this.#options.onExchange?.(exchange);
    for (const warning of exchange.warnings) this.#options.onWarning?.(warning, exchange);
  }
}

const KEY = "idempotency-key";
const headersOf = ({ init }: Attempt) => init.headers as Record<string, string>;
const hasKey = (attempt: Attempt): boolean => KEY in headersOf(attempt);
const setKey = (attempt: Attempt, key: string): void => {
  if (hasKey(attempt)) headersOf(attempt)[KEY] = key;
};

function pathOf(template: string, ids: readonly string[]): string {
  let index = 0;
  return template.replace(/\{\w+\}/g, (name) => {
    const id = ids[index++];
    // An empty id would name the list, and dots another path.
    if (typeof id !== "string" || /^\.{0,2}$/.test(id))
      throw new TypeError(`${name} of ${template} cannot be "${id}".`);
    return encodeURIComponent(id);
  });
}

/** A list of values repeats the parameter. */
function searchOf(query: object): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const one of [value].flat()) if (one !== undefined && one !== null) search.append(name, String(one));
  return search.size > 0 ? `?${search}` : "";
}

/** `299 - "a text", 299 - "another"`. */
const warningsIn = (header: string): string[] =>
  Array.from(header.matchAll(/\d{3} \S+ "((?:[^"\\]|\\.)*)"/g), ([, text = ""]) => text.replace(/\\(.)/g, "$1"));

type Refusal = { error?: string; code?: string; message?: string; docs_url?: string; request_id?: string } & {
  error_details?: Record<string, unknown>;
  errors?: Fault[];
};

function refusalOf(text: string, details: ErrorDetails): TallystickError {
  let body: Refusal = {};
  try {
    body = JSON.parse(text);
  } catch {
    // A proxy answered, in words of its own.
  }
  return errorOf(body.message ?? body.error ?? `The answer is HTTP ${details.status}.`, {
    ...details,
    code: body.code,
    fields: body.error_details,
    faults: body.errors,
    docsUrl: body.docs_url,
    requestId: body.request_id ?? details.requestId,
  });
}

function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", end);
      resolve();
    }, ms);
    signal?.addEventListener("abort", end);
    if (signal?.aborted) end();
  });
}
