/** Moves a test clock: everything due for its customers runs in order, each at its own instant, by the handlers of production. */
import { type DueRegistry, runDue } from "../../jobs/due.ts";
import { claimDueOfTestClock } from "../../jobs/due-store.ts";
import type { Clock } from "../../platform/clock.ts";
import { type Database, inOrganization, type Tx } from "../../platform/postgres/database.ts";
import type { Log } from "../../platform/telemetry/log.ts";
import { testClockErrors } from "./errors.ts";
import type { TestClockRow } from "./schema.ts";
import { findAbandonedAdvance, findTestClock, lockTestClock, postponeAdvance, updateTestClock } from "./store.ts";

/** Whoever advances renews this with each step; when it ends, any worker carries on. */
const LEASE = { seconds: 5 };
const CALLER_WAITS_MS = 25_000;
/** A transaction for each would cost as much as the work. Short enough for the lease, and for whoever looks how far it has come. */
const ROWS_PER_STEP = 50;

export type AdvanceDeps = { db: Database; clock: Clock; registry: DueRegistry; log: Log };

/** Commits where the clock is going. The work follows, step by step, and survives a crash. */
export async function startAdvance(
  tx: Tx,
  organizationId: string,
  { id, to, now }: { id: string; to: Temporal.Instant; now: Temporal.Instant },
): Promise<TestClockRow> {
  const testClock = await lockTestClock(tx, organizationId, id);
  if (!testClock) throw testClockErrors.problem("test_clock_not_found");
  if (testClock.advancing_to !== null) throw testClockErrors.problem("test_clock_advancing");
  if (Temporal.Instant.compare(to, testClock.now) <= 0)
    throw testClockErrors.invalid("now", "must_be_after_current_time");
  return updateTestClock(tx, organizationId, id, {
    advancing_to: to,
    ready_at: now.add(LEASE),
    attempts: 0,
    last_error: null,
  });
}

/** Advances until the clock is ready, the caller has waited long enough or the server stops; then a worker carries on. */
export async function awaitAdvance(
  deps: AdvanceDeps,
  organizationId: string,
  id: string,
  isStopping: () => boolean,
): Promise<TestClockRow | undefined> {
  const giveUpAt = performance.now() + CALLER_WAITS_MS;
  while (!isStopping() && performance.now() < giveUpAt && (await advanceSafely(deps, organizationId, id)));
  return inOrganization(deps.db, organizationId, (tx) => findTestClock(tx, organizationId, id));
}

/** For workers: a step of an advance whose process is gone; false when there is none. */
export async function resumeAdvance(deps: AdvanceDeps & { dispatcherDb: Database }): Promise<boolean> {
  const abandoned = await findAbandonedAdvance(deps.dispatcherDb, deps.clock.now());
  if (!abandoned) return false;
  while (await advanceSafely(deps, abandoned.organizationId, abandoned.id));
  return true;
}

/**
 * A failed step of several rows is repeated row by row, so that the clock comes as far as it can. A row that fails is logged and
 * tried again later; the clock stays where the last good one left it.
 */
async function advanceSafely(deps: AdvanceDeps, organizationId: string, id: string): Promise<boolean> {
  let wasSingle = true;
  try {
    return await inOrganization(deps.db, organizationId, async (tx) => {
      const testClock = await lockTestClock(tx, organizationId, id);
      wasSingle = testClock?.attempts !== 0;
      return advanceStep(deps, tx, testClock);
    });
  } catch (error) {
    deps.log.error({ err: error, testClock: id }, "a step of a test clock failed and will be repeated");
    const failure = { id, now: deps.clock.now(), error: String(error) };
    await inOrganization(deps.db, organizationId, async (tx) => {
      if (wasSingle) await postponeAdvance(tx, organizationId, failure);
      else await updateTestClock(tx, organizationId, id, { attempts: 1, last_error: failure.error });
    });
    return !wasSingle;
  }
}

/** The next due rows, each at its instant; or, when none is left, the arrival. False when there is no more to do. */
async function advanceStep(
  { clock, registry }: AdvanceDeps,
  tx: Tx,
  testClock: TestClockRow | undefined,
): Promise<boolean> {
  if (!testClock?.advancing_to) return false;
  const { id, organization_id: organizationId } = testClock;
  const to = testClock.advancing_to;
  const count = testClock.attempts === 0 ? ROWS_PER_STEP : 1;
  let now = testClock.now;
  for (let taken = 0; taken < count; taken++) {
    const due = await claimDueOfTestClock(tx, organizationId, id, to);
    if (!due) {
      await updateTestClock(tx, organizationId, id, { now: to, advancing_to: null, ready_at: null });
      return false;
    }
    if (Temporal.Instant.compare(due.dueAt, now) > 0) {
      now = due.dueAt;
      await updateTestClock(tx, organizationId, id, { now });
    }
    await runDue(tx, registry, due, clock.now());
  }
  await updateTestClock(tx, organizationId, id, { ready_at: clock.now().add(LEASE) });
  return true;
}
