/** Customers whose weeks ended long ago and were never billed, as after a pause of the service: workers on the real clock have it all to do. */
import { composeApi, composePlatform, type Platform } from "../packages/server/src/main/compose.ts";
import { NO_RATE_LIMITS, readConfig } from "../packages/server/src/main/config.ts";
import { systemClock } from "../packages/server/src/platform/clock.ts";
import type { Records } from "./invoice-checks.ts";
import { type Call, demanding, senderOf } from "./served-api.ts";
import { subscribeWeekly, toEvent } from "./weekly-customers.ts";

/** The next week ends half a week from now, so that none ends while a campaign runs. */
const HALF_WEEK = { hours: 84 };

export type PastService = { platform: Platform; callWith: (key: string) => Call; close: () => Promise<void> };

/** An API whose clock shows so many weeks and a half ago. */
export async function openPastService(url: string, weeks: number): Promise<PastService> {
  const ago = Temporal.Duration.from({ hours: 7 * 24 * weeks }).add(HALF_WEEK);
  const clock = { now: () => systemClock.now().subtract(ago) };
  const platform = composePlatform(readConfig({ DATABASE_URL: url, LOG_LEVEL: "error", ...NO_RATE_LIMITS }), { clock });
  const app = await composeApi(platform);
  return {
    platform,
    callWith: (key) => demanding(senderOf(app, key)),
    close: async () => {
      await app.close();
      await platform.close();
    },
  };
}

/** With events in every week, 1 to 3 of them. */
export async function addWeeksToBill(
  call: Call,
  { name, weeks, now }: { name: string; weeks: number; now: Temporal.Instant },
): Promise<void> {
  await subscribeWeekly(call, { name });
  const begin = now.toZonedDateTimeISO("UTC").startOfDay().toInstant();
  const events = Array.from({ length: weeks }, (_, week) =>
    Array.from({ length: 1 + (week % 3) }, (_, number) =>
      toEvent({ name, id: `${name} ${week} ${number}`, at: begin.add({ hours: 24 * 7 * week + 48 + number }) }),
    ),
  ).flat();
  await call("POST", "/events/batch", { events });
}

/** Weeks that had ended when the database was asked; in UTC a week is 7 days. */
const WEEKS_ENDED = `
  select coalesce(sum(floor(extract(epoch from now() - date_trunc('day', started_at, 'UTC')) / 604800)), 0)::integer as count
  from subscriptions where organization_id = $1 and started_at is not null`;

export const countWeeksEnded = (records: Records, organizationId: string): Promise<number> =>
  countOf(records, WEEKS_ENDED, [organizationId]);

/** What workers on the real clock have to do by now. */
export const countOpenDues = (records: Records): Promise<number> => countOf(records, OPEN_DUES, []);

const OPEN_DUES = `
  select count(*)::integer as count from due_instants
  where done_at is null and test_clock_id is null and ready_at <= now()`;

async function countOf(records: Records, statement: string, values: unknown[]): Promise<number> {
  const { rows } = await records.query<{ count: number }>(statement, values);
  return rows[0]?.count ?? 0;
}
