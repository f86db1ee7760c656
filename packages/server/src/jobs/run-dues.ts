/** Workers take what is due on the real clock: of many customers at once where it is of one kind, each once. */
import type { Clock } from "../platform/clock.ts";
import { actForOrganization, type Database } from "../platform/postgres/database.ts";
import type { Log } from "../platform/telemetry/log.ts";
import type { Metrics } from "../platform/telemetry/metrics.ts";
import {
  type DueRegistry,
  OutdatedPreparation,
  overtakingKinds,
  type PreparedDue,
  prepareDues,
  runHeldDues,
} from "./due.ts";
import { claimReadyDues, type Due, findReadyDues, postponeDue, tryLockCustomers } from "./due-store.ts";

export type WorkDeps = { dispatcherDb: Database; clock: Clock; log: Log; metrics: Metrics };

/** So many in one transaction: more would hold their customers for longer, and gain little. */
const TOGETHER_MAX = 32;
/** So many batches are looked up at once, for all loops of a process and to be out of the way of other processes. */
const BATCHES_AHEAD = 8;

/** Takes the next rows that are due; false when nothing is. Loops of one process share it, so that none prepares what another does. */
export function createDueRunner(deps: WorkDeps, registry: DueRegistry): () => Promise<boolean> {
  const taken = new Set<string>();
  let found: Due[] = [];
  let looking: Promise<void> | undefined;
  const look = async (): Promise<void> => {
    const limit = TOGETHER_MAX * BATCHES_AHEAD;
    const wanted = { overtaking: overtakingKinds(registry), except: [...taken], limit };
    found = await findReadyDues(deps.dispatcherDb, deps.clock.now(), wanted);
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

/** Of one kind and organization, and of each customer one: they share a transaction. */
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

/** If something of a batch fails nothing of it was done: then each is tried alone, and what fails alone is repeated later. */
async function runBatch(deps: WorkDeps, registry: DueRegistry, batch: readonly Due[]): Promise<boolean> {
  if (batch.length > 1) {
    try {
      return await takeTogether(deps, registry, await prepareDues(registry, batch));
    } catch (error) {
      deps.log.warn({ err: error, kind: batch[0]?.kind }, "what is due of several failed: each is tried alone");
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
    if (!(error instanceof OutdatedPreparation)) await postpone(deps, due, error);
    return true;
  }
}

/** False if others have all of them. */
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
    // A request that holds a customer may wait for these very rows: to wait for the customer here would be a deadlock.
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

async function postpone({ dispatcherDb, clock, log, metrics }: WorkDeps, due: Due, error: unknown): Promise<void> {
  log.error({ err: error, due: due.id, kind: due.kind }, "a due instant failed and will be repeated");
  metrics.workFailed.inc({ source: "due", kind: due.kind });
  await postponeDue(dispatcherDb, due, { now: clock.now(), error: String(error), secondsMax: secondsMaxFor(error) });
}

/** An error that says when to come again passes by itself: then nothing should wait for long after it is over. */
const secondsMaxFor = (error: unknown): number =>
  error instanceof Error && "retryAfterSeconds" in error && error.retryAfterSeconds !== undefined ? 60 : 3600;
