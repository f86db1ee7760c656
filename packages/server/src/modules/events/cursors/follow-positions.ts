/**
 * Consumers of positions: each processes the accepted events of an organization step by step. An event that cannot be processed is
 * parked.
 */

import { isParked, isTransient, reasonOf } from "../../../jobs/failures.ts";
import type { WorkDeps } from "../../../jobs/run-dues.ts";
import { actForOrganization, type Tx } from "../../../platform/postgres/database.ts";
import { awaitCursor, type CursorRow, type CursorTable, claimCursor, postponeCursor } from "./store.ts";

/** `step` saves its results and moves the cursor in one transaction. */
export type Follower<Deps extends WorkDeps> = {
  table: CursorTable;
  /** Labels of its metrics, and its name in the log. */
  work: { source: string; kind: string };
  name: string;
  /** Events, or positions of one shard, per step. A smaller limit takes the same ones, one shard after the other. */
  limit: number;
  /** The transaction acts for the organization. */
  step: (tx: Tx, deps: Deps, cursor: CursorRow, limit: number) => Promise<void>;
  /** Moves the cursor past the first event of a step with the limit 1, and parks that event. */
  park: (tx: Tx, deps: Deps, cursor: CursorRow, failure: { reason: string; attempts: number }) => Promise<void>;
};

type Claim = (tx: Tx) => Promise<CursorRow | undefined>;

/** For workers: a step for an organization that has unprocessed events; false if there is none. */
export async function followNext<Deps extends WorkDeps>(deps: Deps, follower: Follower<Deps>): Promise<boolean> {
  let claimed: CursorRow | undefined;
  try {
    return await takeStep(deps, follower, follower.limit, async (tx) => {
      claimed = await claimCursor(tx, follower.table, deps.clock.now());
      return claimed;
    });
  } catch (error) {
    if (!claimed) throw error;
    await settleFailure(deps, follower, claimed, error);
    return true;
  }
}

/** For callers that need all events of an organization processed: a step, waiting for other workers; false if nothing is left. */
export async function followFor<Deps extends WorkDeps>(
  deps: Deps,
  follower: Follower<Deps>,
  organizationId: string,
): Promise<boolean> {
  let claimed: CursorRow | undefined;
  try {
    return await takeStep(deps, follower, follower.limit, async (tx) => {
      claimed = await awaitCursor(tx, follower.table, organizationId);
      return claimed;
    });
  } catch (error) {
    if (!claimed || isTransient(error)) throw error;
    await settleFailure(deps, follower, claimed, error);
    return true;
  }
}

const takeStep = <Deps extends WorkDeps>(
  deps: Deps,
  { step }: Follower<Deps>,
  limit: number,
  claim: Claim,
): Promise<boolean> =>
  deps.dispatcherDb.transaction().execute(async (tx) => {
    const claimed = await claim(tx);
    if (!claimed) return false;
    await actForOrganization(tx, claimed.organization_id);
    // After a failure the cursor is just before the failed event.
    await step(tx, deps, claimed, claimed.attempts > 0 ? 1 : limit);
    return true;
  });

/**
 * Temporary errors are waited out. Any other error belongs to one event: the events before it are processed, and it is parked if it keeps
 * failing.
 */
async function settleFailure<Deps extends WorkDeps>(
  deps: Deps,
  follower: Follower<Deps>,
  claimed: CursorRow,
  first: unknown,
): Promise<void> {
  const { table, work, name } = follower;
  const { organization_id: organizationId, attempts: before } = claimed;
  const known = isTransient(first) ? { error: first } : before > 0 ? { error: first, at: claimed } : undefined;
  const fault: Fault | undefined = known ?? (await narrowDown(deps, follower, organizationId));
  if (!fault) return;
  const { error, at } = fault;
  deps.log.error(
    { err: error, organization: organizationId },
    `${name} failed; it will be retried, and parked if it keeps failing`,
  );
  deps.metrics.workFailed.inc(work);
  const failure = { now: deps.clock.now(), error, secondsMax: 60 };
  const attempts = await postponeCursor(deps.dispatcherDb, table, organizationId, failure);
  if (at && isParked(error, attempts)) await parkNext(deps, follower, at, { error, attempts });
}

/** `at`: the cursor just before the one event that fails. */
type Fault = { error: unknown; at?: CursorRow };

/** Takes ever smaller steps up to the one event that fails; undefined if none fails anymore. */
async function narrowDown<Deps extends WorkDeps>(
  deps: Deps,
  follower: Follower<Deps>,
  organizationId: string,
): Promise<Fault | undefined> {
  let at: CursorRow | undefined;
  const claim: Claim = async (tx) => {
    // Waits for the lock, as direct callers do: otherwise another process could have it at every attempt.
    at = await awaitCursor(tx, follower.table, organizationId);
    return at;
  };
  let limit = Math.ceil(follower.limit / 4);
  for (let steps = 0; steps < follower.limit; steps++) {
    try {
      if (!(await takeStep(deps, follower, limit, claim))) return undefined;
    } catch (error) {
      if (isTransient(error) || !at) return { error };
      if (limit === 1) return { error, at };
      limit = Math.ceil(limit / 4);
    }
  }
  return undefined;
}

/** Parks the event only if the cursor is still just before it: another process may have parked it meanwhile. */
async function parkNext<Deps extends WorkDeps>(
  deps: Deps,
  { table, name, park }: Follower<Deps>,
  { organization_id: organizationId, positions }: CursorRow,
  { error, attempts }: { error: unknown; attempts: number },
): Promise<void> {
  try {
    await deps.dispatcherDb.transaction().execute(async (tx) => {
      const claimed = await awaitCursor(tx, table, organizationId);
      if (!claimed || String(claimed.positions) !== String(positions)) return;
      await actForOrganization(tx, organizationId);
      await park(tx, deps, claimed, { reason: reasonOf(error), attempts });
    });
  } catch (failure) {
    deps.log.error({ err: failure, organization: organizationId }, `${name} could not park an event`);
  }
}
