/** A code has six digits: whoever knows the password must not be able to try them all. Counted in the database, over all processes. */
import { createHash } from "node:crypto";
import { refusal } from "../../../http/problem.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Database } from "../../../platform/postgres/database.ts";
import { countAttempt, forgiveAttempt } from "../users/index.ts";
import { factorErrors } from "./errors.ts";

const WRONG_MAX = 5;
const MINUTES = 15;

type Deps = { dispatcherDb: Database; clock: Clock };

/** Counts before it checks, so that tries at the same time count each other. A right code is forgiven. */
export async function tryCode<T>(
  { dispatcherDb, clock }: Deps,
  userId: string,
  check: () => Promise<T | undefined>,
): Promise<T> {
  const subject = createHash("sha256").update(`code ${userId}`).digest();
  const now = clock.now();
  if (!(await countAttempt(dispatcherDb, subject, { max: WRONG_MAX, now, since: now.subtract({ minutes: MINUTES }) })))
    throw refusal(429, "too_many_attempts", {
      message: `There were ${WRONG_MAX} wrong codes in the last ${MINUTES} minutes. Wait as long, or use a passkey.`,
      retryAfterSeconds: MINUTES * 60,
    });
  const found = await check();
  if (found === undefined) throw factorErrors.problem("code_wrong");
  await forgiveAttempt(dispatcherDb, subject);
  return found;
}
