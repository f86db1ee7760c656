/** Consumers of positions: each takes the accepted events of an organization step by step, and none passes one over. */
import type { Tx } from "../platform/postgres/database.ts";
import { awaitCursor, type CursorRow, type CursorTable, claimCursor, postponeCursor } from "./cursor-store.ts";
import type { WorkDeps } from "./run-dues.ts";

/** `step` moves the cursor in its transaction, with what the events made. */
export type Follower<Deps extends WorkDeps> = {
  table: CursorTable;
  /** Labels of its metrics, and its name in the log. */
  work: { source: string; kind: string };
  name: string;
  step: (tx: Tx, deps: Deps, cursor: CursorRow) => Promise<void>;
};

/** For workers: a step for an organization that has events to look at; false when there is none. */
export async function followNext<Deps extends WorkDeps>(
  deps: Deps,
  { table, work, name, step }: Follower<Deps>,
): Promise<boolean> {
  let claimed: CursorRow | undefined;
  try {
    return await deps.dispatcherDb.transaction().execute(async (tx) => {
      claimed = await claimCursor(tx, table, deps.clock.now());
      if (claimed) await step(tx, deps, claimed);
      return claimed !== undefined;
    });
  } catch (error) {
    if (!claimed) throw error;
    const { organization_id: organizationId } = claimed;
    deps.log.error({ err: error, organization: organizationId }, `${name} failed and will be repeated`);
    deps.metrics.workFailed.inc(work);
    const failure = { now: deps.clock.now(), error: String(error) };
    await postponeCursor(deps.dispatcherDb, table, organizationId, failure);
    return true;
  }
}

/** For whoever needs all events of an organization looked at: a step, whoever else is at it; false when nothing is left. */
export const followFor = <Deps extends WorkDeps>(
  deps: Deps,
  { table, step }: Follower<Deps>,
  organizationId: string,
): Promise<boolean> =>
  deps.dispatcherDb.transaction().execute(async (tx) => {
    const claimed = await awaitCursor(tx, table, organizationId);
    if (claimed) await step(tx, deps, claimed);
    return claimed !== undefined;
  });
