/** What stands in the way of reading usage for a while: a request is told to come again, and what is due is tried again by itself. */
import { Problem } from "../../../../http/problem.ts";
import { ClickhouseRefused, ClickhouseUnreachable } from "../../../../platform/clickhouse/errors.ts";
import { usageErrors } from "../../errors.ts";
import { UsageBehind } from "../relay/index.ts";

/** Too slow, too many statements, no room in memory, no replica that has everything: with less to do it would have answered. */
const PASSING_CODES = new Set([159, 202, 209, 210, 241, 242, 279, 289, 319, 369, 394]);
const RETRY_AFTER_SECONDS = 5;

export const isPassing = (error: unknown): error is Error =>
  error instanceof UsageBehind ||
  error instanceof ClickhouseUnreachable ||
  (error instanceof ClickhouseRefused && PASSING_CODES.has(error.code));

export class UsageNotReady extends Problem {
  override readonly name = "UsageNotReady";

  constructor(cause: Error) {
    super(usageErrors.problem("usage_not_ready").body, RETRY_AFTER_SECONDS);
    this.message = cause.message;
    this.cause = cause;
  }
}
