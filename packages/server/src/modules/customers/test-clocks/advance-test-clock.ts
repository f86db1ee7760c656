/** Moves a test clock: everything due for its customers runs in order, each at its own instant, with the production handlers. */
import { yearsLater } from "@tallystick/core/time";
import {
  type Due,
  type DueRegistry,
  firstAlike,
  needsPreparation,
  OutdatedPreparation,
  type PreparedDue,
  parkDue,
  prepareDues,
  type RunDue,
  runDues,
} from "../../../jobs/due.ts";
import { claimDuesOfTestClock, findDuesOfTestClock, lockCustomer, postponeDue } from "../../../jobs/due-store.ts";
import { isParked, isTransient } from "../../../jobs/failures.ts";
import { enqueueJob, type JobHandler } from "../../../jobs/queue.ts";
import type { Clock } from "../../../platform/clock.ts";
import { type Database, inOrganization, type Tx } from "../../../platform/postgres/database.ts";
import type { Log } from "../../../platform/telemetry/log.ts";
import { testClockErrors } from "./errors.ts";
import type { TestClockRow } from "./schema.ts";
import {
  claimAdvance,
  findAbandonedAdvance,
  findAnyTestClock,
  findClockOfCustomer,
  findTestClock,
  lockAnyTestClock,
  lockTestClock,
  noteFailedAdvance,
  postponeAdvance,
  stopAdvance,
  updateTestClock,
} from "./store.ts";

/** The advancing process renews this with each step; when it ends, any worker continues. */
const LEASE = { seconds: 5 };
/** Further ahead, a target is more often a typing error than meant. */
const YEARS_UNCONFIRMED = 25;
const CALLER_WAITS_MS = 25_000;
/**
 * A transaction for each row would cost as much as the work. A step stays short enough for the lease, and for callers that poll the
 * progress.
 */
const ROWS_PER_STEP = 50;
/** At most this many rows of a step run as one batch. */
const ROWS_TOGETHER_MAX = 16;

export type AdvanceDeps = {
  db: Database;
  clock: Clock;
  registry: DueRegistry;
  log: Log;
  /** Runs a step of the consumers of an organization's accepted events; returns false if nothing is left. */
  consumeFor: (organizationId: string) => Promise<boolean>;
  /** Whether consumers of accepted events are behind. Then the clock waits for them. */
  isBehind: (tx: Tx, organizationId: string) => Promise<boolean>;
};

type Advance = { id: string; to: Temporal.Instant; isConfirmed?: boolean; now: Temporal.Instant };

/** Commits the target of the advance. The work follows step by step, and survives a crash. */
export async function startAdvance(
  tx: Tx,
  organizationId: string,
  { id, to, isConfirmed = false, now }: Advance,
): Promise<TestClockRow> {
  const testClock = await lockTestClock(tx, organizationId, id);
  if (!testClock) throw testClockErrors.problem("test_clock_not_found");
  if (testClock.advancing_to !== null) throw testClockErrors.problem("test_clock_advancing");
  const forward = Temporal.Instant.compare(to, testClock.now);
  if (forward < 0) throw testClockErrors.invalid("now", "must_be_after_current_time");
  // The clock already shows this instant. A call can be repeated.
  if (forward === 0) return testClock;
  if (!isConfirmed && Temporal.Instant.compare(to, yearsLater(testClock.now, YEARS_UNCONFIRMED)) > 0)
    throw testClockErrors.invalid("now", "needs_confirmation");
  return updateTestClock(tx, organizationId, id, {
    advancing_to: to,
    ready_at: now.add(LEASE),
    attempts: 0,
    last_error: null,
  });
}

/**
 * The clock stays at the instant it has reached. What is due there still runs; later work waits for the next advance. The statement waits
 * for a running step, so the advance either ends before it or is stopped by it.
 */
export async function cancelAdvance(tx: Tx, organizationId: string, id: string): Promise<TestClockRow> {
  const stopped = await stopAdvance(tx, organizationId, id);
  if (stopped) await askToCatchUp(tx, organizationId, id);
  const testClock = stopped ?? (await findTestClock(tx, organizationId, id));
  if (!testClock) throw testClockErrors.problem("test_clock_not_found");
  return testClock;
}

/** Advances until the clock is ready, the caller has waited long enough or the server stops. Then a worker continues. */
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

/** For workers: a step of an advance whose process is gone; false if there is none. */
export async function resumeAdvance(deps: AdvanceDeps & { dispatcherDb: Database }): Promise<boolean> {
  const now = deps.clock.now();
  const abandoned = await findAbandonedAdvance(deps.dispatcherDb, now);
  if (!abandoned) return false;
  const { organizationId, id } = abandoned;
  const isMine = await inOrganization(deps.db, organizationId, (tx) =>
    claimAdvance(tx, organizationId, { id, now, until: now.add(LEASE) }),
  );
  // If another worker has claimed it, there may be another abandoned advance.
  if (isMine) while (await advanceSafely(deps, organizationId, id));
  return true;
}

const CATCH_UP_JOB = "catch_up_test_clock";

/** For work that becomes due at once on an idle clock: no process advances the clock, so a worker runs what is due. */
export async function askToCatchUp(tx: Tx, organizationId: string, id: string): Promise<void> {
  const testClock = await findAnyTestClock(tx, organizationId, id);
  if (testClock?.advancing_to !== null) return;
  await enqueueJob(tx, CATCH_UP_JOB, { testClockId: id }, { jobKey: `${CATCH_UP_JOB}:${id}` });
}

export const testClockJobs = (deps: AdvanceDeps): Record<string, JobHandler> => ({
  [CATCH_UP_JOB]: async (organizationId, payload) => {
    const { testClockId } = payload as { testClockId: string };
    while (await catchUpStep(deps, organizationId, testClockId));
  },
});

/** Callers that write for a customer see the effects that are due at once. */
export const catchUpClockOf = (deps: AdvanceDeps) => {
  const catchUp = catchUpClock(deps);
  return async (organizationId: string, customerId: string): Promise<void> => {
    const found = await inOrganization(deps.db, organizationId, (tx) =>
      findClockOfCustomer(tx, organizationId, customerId),
    );
    if (found) await catchUp(organizationId, found.id);
  };
};

/** Runs what is due on an idle clock. If this fails, the queued job tries again. */
export const catchUpClock = (deps: AdvanceDeps) => {
  // One at a time in this process: otherwise many simultaneous requests would each prepare the work that the first one does for all.
  const last = new Map<string, Promise<void>>();
  const catchUp = async (organizationId: string, id: string): Promise<void> => {
    try {
      while (await catchUpStep(deps, organizationId, id));
    } catch (error) {
      deps.log.warn({ err: error, testClock: id }, "work that is due on a test clock failed and will be retried");
    }
  };
  return async (organizationId: string, id: string): Promise<void> => {
    const mine = (last.get(id) ?? Promise.resolve()).then(() => catchUp(organizationId, id));
    last.set(id, mine);
    await mine;
    if (last.get(id) === mine) last.delete(id);
  };
};

/** A clock that advances does this itself. A failed batch is repeated row by row; a row that keeps failing is parked. */
async function catchUpStep(
  deps: AdvanceDeps,
  organizationId: string,
  id: string,
  count = ROWS_PER_STEP,
): Promise<boolean> {
  const dues = await lookAhead(deps, organizationId, id, count);
  const [first] = dues;
  if (!first) return false;
  try {
    const ahead = await prepareAhead(deps, dues);
    return await inOrganization(deps.db, organizationId, async (tx) => {
      const testClock = await lockAnyTestClock(tx, organizationId, id);
      if (!testClock || testClock.advancing_to !== null) return false;
      const target = { id, organizationId, until: testClock.now, count };
      const step = await runRows(deps, tx, target, { ahead, onReached: async () => undefined });
      return step !== "arrived";
    });
  } catch (error) {
    if (isTransient(error)) throw error;
    if (count > 1) return catchUpStep(deps, organizationId, id, 1);
    await settleRow(deps, first, error);
    return true;
  }
}

/** The next rows, up to the target or the time of the clock. */
const lookAhead = ({ db }: AdvanceDeps, organizationId: string, id: string, limit: number): Promise<Due[]> =>
  inOrganization(db, organizationId, async (tx) => {
    const testClock = await findAnyTestClock(tx, organizationId, id);
    if (!testClock) return [];
    const until = testClock.advancing_to ?? testClock.now;
    return findDuesOfTestClock(tx, organizationId, id, { until, limit });
  });

/** A row failed on its own. It is retried at once, or parked if it cannot be done; then the clock continues without it. */
async function settleRow({ db, clock, registry, log }: AdvanceDeps, due: Due, error: unknown): Promise<void> {
  const { organizationId, id, kind, customerId, testClockId, dueAt } = due;
  log.error(
    { err: error, due: id, kind },
    "a due instant of a test clock failed; it is retried, and parked if it keeps failing",
  );
  await inOrganization(db, organizationId, async (tx) => {
    const testClock = testClockId && (await lockAnyTestClock(tx, organizationId, testClockId));
    if (!testClock) return;
    const isAhead = Temporal.Instant.compare(dueAt, testClock.now) > 0;
    // The advance was canceled meanwhile: the row waits for the next one, as if it had not been tried.
    if (isAhead && !testClock.advancing_to) return;
    const now = clock.now();
    const attempts = await postponeDue(tx, due, { now, error, secondsMax: 0 });
    if (attempts === 0 || !isParked(error, attempts)) return;
    // As when a row runs: an advancing clock has reached the instant of the row.
    const reached = isAhead ? { now: dueAt } : {};
    if (testClock.advancing_to) await updateTestClock(tx, organizationId, testClock.id, { attempts: 0, ...reached });
    if (customerId !== null) await lockCustomer(tx, organizationId, customerId);
    await parkDue(tx, registry, due, { error, attempts, now });
  });
}

type Ahead = ReadonlyMap<string, RunDue>;

/**
 * Prepares the next rows that need it, while no lock is held. One row per customer: the first row spends what the second one counted on,
 * so a second preparation would always be outdated.
 */
async function prepareAhead({ registry }: AdvanceDeps, dues: readonly Due[]): Promise<Ahead> {
  const others = dues.findIndex(
    (due, index) =>
      !needsPreparation(registry, due) || dues.slice(0, index).some(({ customerId }) => customerId === due.customerId),
  );
  const ahead = new Map<string, RunDue>();
  const requested = others < 0 ? dues : dues.slice(0, others);
  for (const same of Map.groupBy(requested, ({ kind }) => kind).values())
    for (const { due, run } of await prepareDues(registry, same)) ahead.set(due.id, run);
  return ahead;
}

/**
 * A failed step of several rows is repeated row by row. A row that keeps failing alone is parked, and the clock continues. Other failures
 * are retried later: the clock stays where the last good step left it, and its advance can be canceled.
 */
async function advanceSafely(deps: AdvanceDeps, organizationId: string, id: string): Promise<boolean> {
  let single: Due | undefined;
  let wasSingle = true;
  try {
    // Before time moves on, events accepted so far are billed as of now.
    if (await deps.consumeFor(organizationId)) return true;
    const found = await inOrganization(deps.db, organizationId, (tx) => findTestClock(tx, organizationId, id));
    wasSingle = found?.attempts !== 0;
    const dues = await lookAhead(deps, organizationId, id, wasSingle ? 1 : ROWS_PER_STEP);
    single = wasSingle ? dues[0] : undefined;
    const ahead = await prepareAhead(deps, dues);
    return await inOrganization(deps.db, organizationId, async (tx) => {
      const testClock = await lockTestClock(tx, organizationId, id);
      return advanceStep(deps, tx, testClock, { ahead, count: wasSingle ? 1 : ROWS_PER_STEP });
    });
  } catch (error) {
    if (error instanceof OutdatedPreparation) return true;
    if (single && !isTransient(error)) {
      await settleRow(deps, single, error);
      return true;
    }
    deps.log.error({ err: error, testClock: id }, "a step of a test clock failed and will be retried");
    const failure = { id, now: deps.clock.now(), error };
    await inOrganization(deps.db, organizationId, async (tx) => {
      if (wasSingle) await postponeAdvance(tx, organizationId, failure);
      else await noteFailedAdvance(tx, organizationId, id, error);
    });
    return !wasSingle;
  }
}

/** Runs the next due rows, each at its instant; or, if none is left, ends the advance. Returns false if there is no more to do. */
async function advanceStep(
  deps: AdvanceDeps,
  tx: Tx,
  testClock: TestClockRow | undefined,
  { ahead, count }: { ahead: Ahead; count: number },
): Promise<boolean> {
  if (!testClock?.advancing_to) return false;
  const { id, organization_id: organizationId, advancing_to: until } = testClock;
  let now = testClock.now;
  const onReached = async (instant: Temporal.Instant): Promise<void> => {
    if (Temporal.Instant.compare(instant, now) <= 0) return;
    now = instant;
    await updateTestClock(tx, organizationId, id, { now });
  };
  const step = await runRows(deps, tx, { id, organizationId, until, count }, { ahead, onReached });
  await updateTestClock(
    tx,
    organizationId,
    id,
    step === "arrived" ? { now: until, advancing_to: null, ready_at: null } : { ready_at: deps.clock.now().add(LEASE) },
  );
  return step !== "arrived";
}

type Target = { id: string; organizationId: string; until: Temporal.Instant; count: number };

/** Takes rows up to the first that needs a preparation and has none. */
async function preparedOf(registry: DueRegistry, dues: readonly Due[], ahead: Ahead): Promise<PreparedDue[]> {
  if (!dues.some((due) => needsPreparation(registry, due))) return prepareDues(registry, dues);
  const prepared: PreparedDue[] = [];
  for (const due of dues) {
    const run = ahead.get(due.id);
    if (!run) break;
    prepared.push({ due, run });
  }
  return prepared;
}

/** Runs rows in order; rows of one instant and kind run as a batch. Rows that lack a preparation wait for the next step. */
async function runRows(
  { clock, registry, isBehind }: AdvanceDeps,
  tx: Tx,
  { id, organizationId, until, count }: Target,
  { ahead, onReached }: { ahead: Ahead; onReached: (instant: Temporal.Instant) => Promise<void> },
): Promise<"arrived" | "more"> {
  for (let taken = 0; taken < count; ) {
    const limit = Math.min(count - taken, ROWS_TOGETHER_MAX);
    const next = await claimDuesOfTestClock(tx, organizationId, id, { until, limit });
    const [first] = next;
    if (!first) return "arrived";
    const prepared = await preparedOf(registry, firstAlike(next), ahead);
    if (prepared.length === 0) return "more";
    await onReached(first.dueAt);
    await runDues(tx, registry, prepared, clock.now());
    taken += prepared.length;
    if (await isBehind(tx, organizationId)) return "more";
  }
  return "more";
}
