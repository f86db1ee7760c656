/** What a failure of work means: it passes by itself, it never will, or nobody knows. */
import { Problem, refusal } from "../http/problem.ts";
import { isPassingFault, PassingFault } from "../platform/postgres/passing-fault.ts";

/** Thrown where what was prepared no longer fits what is found under the lock: then it is prepared again, at once. */
export class OutdatedPreparation extends PassingFault {}

/** Thrown where something cannot be billed, however often it is tried. Work parks it; a request is refused with 422. */
export class CannotBill extends Problem {
  override readonly name = "CannotBill";

  constructor(reason: string) {
    super(refusal(422, "cannot_be_billed").body);
    this.message = reason;
  }
}

/** Thrown where work needs other work that has failed, and that is repeated or parked by itself: soon the way is free. */
export class WaitsForOthers extends Error {
  readonly retryAfterSeconds = 1;

  constructor(cause: unknown) {
    super(`it waits for other work, which failed: ${reasonOf(cause)}`, { cause });
  }
}

/** Serialization failures, deadlocks and locks that were waited for too long: the next attempt may meet nobody. */
const CONTENTION_CODES = new Set(["40001", "40P01", "55P03"]);

/** It passes by itself, so it is tried until it does: contention, a lost connection, a store of events that is away or behind. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (isPassingFault(error)) return true;
  if ("retryAfterSeconds" in error && error.retryAfterSeconds !== undefined) return true;
  if ("code" in error && CONTENTION_CODES.has(String(error.code))) return true;
  if (error instanceof AggregateError && error.errors.some(isTransient)) return true;
  return error.cause !== undefined && isTransient(error.cause);
}

/** An error that nobody foresaw may be of the moment: so often it is tried, quickly, before it counts as one that stays. */
const ATTEMPTS_BEFORE_PARKING = 3;

/** Whether a failure is set aside after so many attempts. */
export const isParked = (error: unknown, attempts: number): boolean =>
  !isTransient(error) && (error instanceof CannotBill || attempts >= ATTEMPTS_BEFORE_PARKING);

/** For the operator. */
export const reasonOf = (error: unknown): string => (error instanceof Error && error.message) || String(error);
