/** Deletes delivered messages and their logs after some months. */
import type { Clock } from "../../../platform/clock.ts";
import { actForOrganization, type Database } from "../../../platform/postgres/database.ts";
import { listOrganizations } from "../../accounts/index.ts";
import { forgetMessagesBefore } from "./store.ts";

/** Keeps each transaction short. */
const ROWS_AT_ONCE = 5_000;

export type Forgetting = { dispatcherDb: Database; clock: Clock; retentionDays: number };

export async function forgetOldWebhooks({ dispatcherDb, clock, retentionDays }: Forgetting): Promise<void> {
  const now = clock.now();
  const before = now.subtract({ hours: 24 * retentionDays });
  for (const { id } of await listOrganizations(dispatcherDb)) {
    let count = ROWS_AT_ONCE;
    while (count === ROWS_AT_ONCE)
      count = await dispatcherDb.transaction().execute(async (tx) => {
        await actForOrganization(tx, id);
        return forgetMessagesBefore(tx, id, { before, limit: ROWS_AT_ONCE, now });
      });
  }
}
