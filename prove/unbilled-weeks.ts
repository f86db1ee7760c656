/** Customers whose weeks ended long ago and were never billed, as after a pause of the service: workers on the real clock have it all to do. */
import { composeApi, composePlatform, type Platform } from "../packages/server/src/main/compose.ts";
import { readConfig } from "../packages/server/src/main/config.ts";
import { NO_RATE_LIMITS } from "../packages/server/src/main/limit-settings.ts";
import { type Clock, systemClock } from "../packages/server/src/platform/clock.ts";
import {
  type Counts,
  checkInvoicesOfCalls,
  countRow,
  type Findings,
  openVerifier,
  type Records,
} from "./invoice-checks.ts";
import { type Call, demanding, senderOf } from "./served-api.ts";
import { subscribeWeekly, toEvent } from "./weekly-customers.ts";

/** The next week ends half a week from now, so that none ends while a campaign runs. */
const HALF_WEEK = { hours: 84 };

export type PastService = { platform: Platform; callWith: (key: string) => Call; close: () => Promise<void> };

/** Shows so many weeks and a half ago. */
export function clockOfWeeksAgo(weeks: number): Clock {
  const ago = Temporal.Duration.from({ hours: 7 * 24 * weeks }).add(HALF_WEEK);
  return { now: () => systemClock.now().subtract(ago) };
}

/** An API with that clock. */
export async function openPastService(url: string, weeks: number): Promise<PastService> {
  const clock = clockOfWeeksAgo(weeks);
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

export const countWeeksEnded = async (records: Records, organizationId: string): Promise<number> =>
  (await countRow(records, WEEKS_ENDED, [organizationId])).count ?? 0;

/** What workers on the real clock have to do by now, and what they did. */
export async function countDues(records: Records): Promise<Counts & { open: number }> {
  const { open = 0, done = 0 } = await countRow(
    records,
    `select count(*) filter (where done_at is null and test_clock_id is null and ready_at <= now()) as open,
       count(done_at) as done from due_instants`,
  );
  return { open, done };
}

export const countOpenDues = async (records: Records): Promise<number> => (await countDues(records)).open;

/** When workers have done what was due: every week that ended has one whole invoice. */
export async function checkWeeks(url: string, organizationId: string): Promise<Findings> {
  const { broken, figures } = await checkInvoicesOfCalls(url);
  const verifier = openVerifier(url);
  try {
    const periods = await countWeeksEnded(verifier, organizationId);
    const { invoices = 0 } = figures;
    return {
      broken: {
        ...broken,
        dueRowsOpen: (await countDues(verifier)).open,
        invoicesMissing: Math.max(0, periods - invoices),
        invoicesTooMany: Math.max(0, invoices - periods),
      },
      figures: { periods, ...figures },
    };
  } finally {
    await verifier.end();
  }
}
