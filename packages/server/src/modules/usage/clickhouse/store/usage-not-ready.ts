/** A temporary obstacle to reading usage: a request gets Retry-After, and due work is retried automatically. */
import { Problem } from "../../../../http/problem.ts";
import { ClickhouseRefused, ClickhouseUnreachable } from "../../../../platform/clickhouse/errors.ts";
import { usageErrors } from "../../errors.ts";
import { UsageBehind } from "../relay/index.ts";

/** Too slow, too many statements, not enough memory, no complete replica: with less load ClickHouse would have answered. */
const PASSING_CODES = new Set([159, 202, 209, 210, 241, 242, 279, 289, 319, 369, 394]);
const RETRY_AFTER_SECONDS = 5;

export const isPassing = (error: unknown): error is Error =>
  error instanceof UsageBehind ||
  error instanceof ClickhouseUnreachable ||
  (error instanceof ClickhouseRefused && PASSING_CODES.has(error.code));

export class UsageNotReady extends Problem {
  override readonly name = "UsageNotReady";

  constructor(cause: Error) {
    super(usageErrors.problem("usage_not_ready").body, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    this.message = cause.message;
    this.cause = cause;
  }
}
