/** Workers run what is due on the real clock, in batches of one kind with one row for each customer. */
import type { Clock } from "../platform/clock.ts";
import { actForOrganization, type Database } from "../platform/postgres/database.ts";
import type { Log } from "../platform/telemetry/log.ts";
import type { Metrics } from "../platform/telemetry/metrics.ts";
import {
  type DueRegistry,
  OutdatedPreparation,
  overtakingKinds,
  type PreparedDue,
  parkDue,
  prepareDues,
  runHeldDues,
} from "./due.ts";
import { claimReadyDues, type Due, findReadyDues, lockOpenDue, postponeDue, tryLockCustomers } from "./due-store.ts";
import { isParked, isTransient } from "./failures.ts";

export type WorkDeps = { dispatcherDb: Database; clock: Clock; log: Log; metrics: Metrics };

/** The most rows in one transaction. More would lock their customers for longer and gain little. */
const TOGETHER_MAX = 32;
/** How many batches are looked up at once. The loops of a process share them, and different processes are less likely to collide. */
const BATCHES_AHEAD = 8;

/** Runs the next due rows; false if there are none. The loops of a process share it, so that no loop prepares what another runs. */
export function createDueRunner(deps: WorkDeps, registry: DueRegistry): () => Promise<boolean> {
  const taken = new Set<string>();
  let found: Due[] = [];
  let looking: Promise<void> | undefined;
  const look = async (): Promise<void> => {
    const limit = TOGETHER_MAX * BATCHES_AHEAD;
    const requested = { overtaking: overtakingKinds(registry), except: [...taken], limit };
    found = await findReadyDues(deps.dispatcherDb, deps.clock.now(), requested);
  };
  return async () => {
    if (found.length === 0) {
      looking ??= look().finally(() => {
        looking = undefined;
      });
      await looking;
    }
    const batch = nextBatch(found);
    if (batch.length === 0) return false;
    found = found.filter((due) => !batch.includes(due));
    for (const { id } of batch) taken.add(id);
    try {
      return await runBatch(deps, registry, batch);
    } finally {
      for (const { id } of batch) taken.delete(id);
    }
  };
}

/** Rows of one kind and organization, one for each customer. They share a transaction. */
function nextBatch(found: readonly Due[]): Due[] {
  const [first] = found;
  if (!first) return [];
  const customers = new Set<string | null>();
  const batch: Due[] = [];
  for (const due of found) {
    if (due.organizationId !== first.organizationId || due.kind !== first.kind) continue;
    if (due.customerId !== null && customers.has(due.customerId)) continue;
    customers.add(due.customerId);
    batch.push(due);
    if (batch.length === TOGETHER_MAX) break;
  }
  return batch;
}

/**
 * If a row of a batch fails, the whole batch is rolled back and each row is tried alone. A row that fails alone is retried, or parked if
 * the error is permanent.
 */
async function runBatch(deps: WorkDeps, registry: DueRegistry, batch: readonly Due[]): Promise<boolean> {
  if (batch.length > 1) {
    try {
      return await takeTogether(deps, registry, await prepareDues(registry, batch));
    } catch (error) {
      deps.log.warn({ err: error, kind: batch[0]?.kind }, "a batch of due instants failed: each is tried alone");
    }
  }
  let hasWorked = false;
  for (const due of batch) hasWorked = (await takeAlone(deps, registry, due)) || hasWorked;
  return hasWorked;
}

async function takeAlone(deps: WorkDeps, registry: DueRegistry, due: Due): Promise<boolean> {
  try {
    return await takeTogether(deps, registry, await prepareDues(registry, [due]));
  } catch (error) {
    if (!(error instanceof OutdatedPreparation)) await settleFailure(deps, registry, due, error);
    return true;
  }
}

/** False if other workers have locked all of the rows. */
async function takeTogether(
  { dispatcherDb, clock, metrics }: WorkDeps,
  registry: DueRegistry,
  prepared: readonly PreparedDue[],
): Promise<boolean> {
  const [first] = prepared;
  if (!first) return false;
  const { organizationId, kind } = first.due;
  const taken = await dispatcherDb.transaction().execute(async (tx) => {
    const now = clock.now();
    const ids = prepared.map(({ due }) => due.id);
    const claimed = await claimReadyDues(tx, now, { overtaking: overtakingKinds(registry), ids });
    if (claimed.length === 0) return 0;
    await actForOrganization(tx, organizationId);
    // A request that has locked a customer may wait for these rows, so waiting for the customer here would be a deadlock.
    const customerIds = claimed.flatMap(({ customerId }) => customerId ?? []);
    const free = new Set(customerIds.length > 0 ? await tryLockCustomers(tx, organizationId, customerIds) : []);
    const mine = new Set(
      claimed.filter(({ customerId }) => customerId === null || free.has(customerId)).map(({ id }) => id),
    );
    const own = prepared.filter(({ due }) => mine.has(due.id));
    if (own.length > 0) await runHeldDues(tx, registry, { organizationId, prepared: own }, now);
    return own.length;
  });
  if (taken > 0) metrics.workDone.inc({ source: "due", kind }, taken);
  return taken > 0;
}

async function settleFailure(deps: WorkDeps, registry: DueRegistry, due: Due, error: unknown): Promise<void> {
  const { dispatcherDb, clock, log, metrics } = deps;
  const { id, kind } = due;
  log.error({ err: error, due: id, kind }, "a due instant failed and will be retried, or parked if it cannot be done");
  metrics.workFailed.inc({ source: "due", kind });
  const secondsMax = isTransient(error) ? secondsMaxFor(error) : SECONDS_MAX;
  const attempts = await postponeDue(dispatcherDb, due, { now: clock.now(), error, secondsMax });
  if (isParked(error, attempts)) await park(deps, registry, due, { error, attempts });
}

/**
 * Parks the row under the same locks as if it ran. If the row or its customer is locked elsewhere, the row stays open and comes up again.
 */
async function park(
  { dispatcherDb, clock, log }: WorkDeps,
  registry: DueRegistry,
  due: Due,
  failure: { error: unknown; attempts: number },
): Promise<void> {
  const { id, organizationId, customerId, kind } = due;
  try {
    await dispatcherDb.transaction().execute(async (tx) => {
      if (!(await lockOpenDue(tx, due))) return;
      await actForOrganization(tx, organizationId);
      if (customerId !== null && (await tryLockCustomers(tx, organizationId, [customerId])).length === 0) return;
      await parkDue(tx, registry, due, { ...failure, now: clock.now() });
    });
  } catch (error) {
    log.error(
      { err: error, due: id, kind },
      "a due instant that cannot be done could not be parked and will be retried",
    );
  }
}

/** The longest wait between retries: an hour, or a minute if the error says when to retry. */
const SECONDS_MAX = 3600;
const secondsMaxFor = (error: unknown): number =>
  error instanceof Error && "retryAfterSeconds" in error && error.retryAfterSeconds !== undefined ? 60 : SECONDS_MAX;
