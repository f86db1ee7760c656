/** What a restored database must hold: all that was acknowledged until its instant, as it was sent, and nothing of later. */
import { createPool } from "../../packages/server/src/platform/postgres/pool.ts";
import type { Counts, Records } from "../invoice-checks.ts";
import { digestOf } from "../kills/events/digest.ts";
import { eventOf, numberOf } from "../kills/events/sent-events.ts";
import { isAsSent, storedEvents } from "../kills/events/stored-events.ts";
import type { Load, Micros } from "./load.ts";

/** Client and server read one clock, but not at the same moment. */
const TOLERANCE: Micros = 50_000;

type Story = Pick<Load, "tenants" | "log" | "seed"> & { url: string; verifier: Records };

/** What was there when the restored database was first looked at. */
export type Found = {
  broken: Counts;
  /** When what is missing was acknowledged first. */
  missingSince: Micros | undefined;
  eventsMissing: number;
  eventsThere: number;
};

/** `until`: the instant it was restored to. Undefined: as far as the archive went, so that the end may be missing, but no part before it. */
export async function compareWithLog(story: Story, until: Micros | undefined): Promise<Found> {
  const { log, verifier, tenants } = story;
  const { seen, ...found } = await compareEvents(story, until);
  const lastThere = log.events.reduce((last, { sentAt }, number) => (seen[number] ? Math.max(last, sentAt) : last), 0);
  const missing = log.events.flatMap(({ at }, number) => (at !== undefined && !seen[number] ? [at] : []));
  // Who was answered before another one asked is before it in the log of the database as well.
  const bound = until ?? lastThere;
  const names = await namesThere(verifier, tenants.seller.id);
  const customersMissing = [...log.customers].filter(([name, at]) => at <= bound && !names.has(name)).length;
  return {
    broken: { eventsMissing: missing.filter((at) => at <= bound).length, ...found, customersMissing },
    missingSince: missing.length === 0 ? undefined : missing.reduce((first, at) => Math.min(first, at)),
    eventsMissing: missing.length,
    eventsThere: seen.reduce((sum, one) => sum + one, 0),
  };
}

async function compareEvents({ url, tenants, log, seed }: Story, until: Micros | undefined) {
  const found = { eventsDiffer: 0, eventsNeverSent: 0, eventsDoubled: 0, eventsOfLater: 0 };
  const seen = new Uint8Array(log.events.length);
  const pool = createPool({ url, role: "app", connectionsMax: 1, statementTimeoutMs: 0 });
  const { id: organizationId } = tenants.sender;
  try {
    for await (const row of storedEvents({ organizationId, pool })) {
      const number = numberOf(row.external_subscription_id, row.transaction_id);
      const known = log.events[number];
      if (!known) {
        found.eventsNeverSent++;
        continue;
      }
      const event = eventOf(seed, number);
      const digest = digestOf(organizationId, event, event.timestamp ?? row.received).toString();
      const isOther = row.digest !== digest || (known.id !== undefined && known.id !== row.id);
      if (isOther || !isAsSent(row, event)) found.eventsDiffer++;
      if (seen[number]) found.eventsDoubled++;
      seen[number] = 1;
      if (until !== undefined && known.sentAt > until + TOLERANCE) found.eventsOfLater++;
    }
    return { seen, ...found };
  } finally {
    await pool.end();
  }
}

async function namesThere(verifier: Records, organizationId: string): Promise<Set<string>> {
  const { rows } = await verifier.query<{ name: string }>(
    "select external_id as name from subscriptions where organization_id = $1",
    [organizationId],
  );
  return new Set(rows.map(({ name }) => name));
}
