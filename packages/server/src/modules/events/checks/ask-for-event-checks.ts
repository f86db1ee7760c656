/** Finds the hours of events that wait to be checked, by organization. */
import { enqueueJob } from "../../../jobs/queue.ts";
import type { Clock } from "../../../platform/clock.ts";
import { type Database, inOrganization } from "../../../platform/postgres/database.ts";
import { CHECK_JOB } from "./check-events.ts";
import { findUncheckedHours } from "./store.ts";

/** Hours missed longer ago, because no worker ran, are not checked anymore. */
const CATCH_UP_HOURS = 72;

/** An event is stored within seconds of its receipt. Before that, its hour is not complete. */
const STORED_WITHIN = { minutes: 1 };

/** Called a few minutes after every full hour; safe to repeat. Each organization and hour is a separate job. */
export async function askForEventChecks(deps: { db: Database; dispatcherDb: Database; clock: Clock }): Promise<void> {
  const to = deps.clock.now().subtract(STORED_WITHIN).round({ smallestUnit: "hour", roundingMode: "floor" });
  const from = to.subtract({ hours: CATCH_UP_HOURS });
  for (const { organization_id, hour } of await findUncheckedHours(deps.dispatcherDb, { from, to })) {
    await inOrganization(deps.db, organization_id, (tx) =>
      enqueueJob(tx, CHECK_JOB, { hour: hour.toString() }, { jobKey: `${CHECK_JOB}:${organization_id}:${hour}` }),
    );
  }
}
