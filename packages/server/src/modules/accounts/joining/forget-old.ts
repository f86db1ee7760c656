/** Sessions, links, challenges and attempts that have no use any more. */
import type { Clock } from "../../../platform/clock.ts";
import type { Database } from "../../../platform/postgres/database.ts";
import { forgetProviderSignIns } from "../identity-providers/index.ts";
import { forgetLinks } from "../links/index.ts";
import { forgetChallenges } from "../passkeys/index.ts";
import { forgetSessions } from "../sessions/index.ts";
import { forgetAttempts } from "../users/index.ts";

/** No organization allows a session of more than 30 days. */
const SESSIONS_KEPT = { hours: 24 * 60 };
const LINKS_KEPT = { hours: 24 * 30 };
const ATTEMPTS_KEPT = { hours: 1 };

/** Called by a scheduled job. */
export async function forgetOldSignIns(dispatcherDb: Database, clock: Clock): Promise<void> {
  const now = clock.now();
  await forgetSessions(dispatcherDb, now.subtract(SESSIONS_KEPT));
  await forgetLinks(dispatcherDb, now.subtract(LINKS_KEPT));
  await forgetChallenges(dispatcherDb, now);
  await forgetProviderSignIns(dispatcherDb, now);
  await forgetAttempts(dispatcherDb, now.subtract(ATTEMPTS_KEPT));
}
