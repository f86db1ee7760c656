/** What can go wrong with a request, one class for each kind of outcome. */

import type { Fault } from "./generated/schemas.ts";

export type ErrorDetails = {
  /** The HTTP status; 0 if no answer came. */
  status: number;
  code?: string | undefined;
  fields?: Readonly<Record<string, unknown>> | undefined;
  faults?: readonly Fault[] | undefined;
  requestId?: string | undefined;
  docsUrl?: string | undefined;
  retryAfterSeconds?: number | undefined;
  attempts?: number | undefined;
  cause?: unknown;
};

/** Any refusal of the service; `message` is its sentence: what is wrong, and what to do. */
export class TallystickError extends Error {
  /** The HTTP status; 0 if no answer came. */
  declare readonly status: number;
  /** For programs; listed in the error reference. */
  declare readonly code: string | undefined;
  /** The codes of each member that is wrong. */
  readonly fields: Readonly<Record<string, unknown>> = {};
  /** Each fault with its path and a sentence. */
  readonly faults: readonly Fault[] = [];
  /** For a report to the operator. */
  declare readonly requestId: string | undefined;
  declare readonly docsUrl: string | undefined;
  declare readonly retryAfterSeconds: number | undefined;
  /** How often the request was sent. If more than once, an earlier attempt without an answer may have done the work. */
  readonly attempts: number = 1;

  constructor(message: string, details: ErrorDetails) {
    super(message);
    for (const [name, value] of Object.entries(details))
      if (value !== undefined) Object.defineProperty(this, name, { value, enumerable: name !== "cause" });
    this.name = "TallystickError";
  }
}

/** 400, 413, 414, 415, 422: the request is wrong, and stays wrong. */
export class InvalidError extends TallystickError {
  override name = "InvalidError";
}
/** 401: the API key is missing, unknown, expired or revoked. */
export class UnauthenticatedError extends TallystickError {
  override name = "UnauthenticatedError";
}
/** 403: the API key lacks the permission. */
export class ForbiddenError extends TallystickError {
  override name = "ForbiddenError";
}
/** 404: there is no such record. */
export class NotFoundError extends TallystickError {
  override name = "NotFoundError";
}
/** 405: the state of the record does not allow this. */
export class NotAllowedError extends TallystickError {
  override name = "NotAllowedError";
}
/** 412: somebody changed the record after it was read. Read it again. */
export class ChangedMeanwhileError extends TallystickError {
  override name = "ChangedMeanwhileError";
}
/** 429: too many requests, also after all retries. */
export class RateLimitedError extends TallystickError {
  override name = "RateLimitedError";
}
/** 5xx, or no answer: the outcome is unknown. */
export class UnavailableError extends TallystickError {
  override name = "UnavailableError";
}

const BY_STATUS: Readonly<Record<number, typeof TallystickError>> = {
  400: InvalidError,
  401: UnauthenticatedError,
  403: ForbiddenError,
  404: NotFoundError,
  405: NotAllowedError,
  412: ChangedMeanwhileError,
  413: InvalidError,
  414: InvalidError,
  415: InvalidError,
  422: InvalidError,
  429: RateLimitedError,
};

export const errorOf = (message: string, details: ErrorDetails): TallystickError =>
  new (BY_STATUS[details.status] ?? (details.status >= 500 ? UnavailableError : TallystickError))(message, details);
