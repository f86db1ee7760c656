/** What a failure of work means: it is temporary, it is permanent, or its cause is unknown. */
import { Problem, refusal } from "../http/problem.ts";
import { isPassingFault, PassingFault } from "../platform/postgres/passing-fault.ts";

/** Thrown if prepared data no longer matches the data under the lock. The work is then prepared again at once. */
export class OutdatedPreparation extends PassingFault {}

/** Thrown if something can never be billed, however often it is tried. Work parks it; a request gets 422. */
export class CannotBill extends Problem {
  override readonly name = "CannotBill";

  constructor(reason: string) {
    super(refusal(422, "cannot_be_billed").body);
    this.message = reason;
  }
}

/** Thrown if work needs other work that has failed. That work is retried or parked on its own, so this work can soon continue. */
export class WaitsForOthers extends Error {
  readonly retryAfterSeconds = 1;

  constructor(cause: unknown) {
    super(`it waits for other work, which failed: ${reasonOf(cause)}`, { cause });
  }
}

/** Serialization failures, deadlocks and lock timeouts: the next attempt may find no contention. */
const CONTENTION_CODES = new Set(["40001", "40P01", "55P03"]);

/**
 * Whether the fault is temporary, so that the work is retried until it passes: contention, a lost connection, or an event store that is
 * unavailable or behind.
 */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (isPassingFault(error)) return true;
  if ("retryAfterSeconds" in error && error.retryAfterSeconds !== undefined) return true;
  if ("code" in error && CONTENTION_CODES.has(String(error.code))) return true;
  if (error instanceof AggregateError && error.errors.some(isTransient)) return true;
  return error.cause !== undefined && isTransient(error.cause);
}

/** An unexpected error may be temporary, so it is retried quickly this many times before it counts as permanent. */
const ATTEMPTS_BEFORE_PARKING = 3;

/** Whether a failure is parked after this many attempts. */
export const isParked = (error: unknown, attempts: number): boolean =>
  !isTransient(error) && (error instanceof CannotBill || attempts >= ATTEMPTS_BEFORE_PARKING);

/** The text that the operator sees. */
export const reasonOf = (error: unknown): string => (error instanceof Error && error.message) || String(error);
