/**
 * Follows the accepted events of an organization: whose subscriptions were used, their ongoing balances are to be computed again. The
 * cursor moves in the transaction that asks for it, so no event is passed over.
 */
import type { WorkDeps } from "../../jobs/due.ts";
import { actForOrganization, type Tx } from "../../platform/postgres/database.ts";
import {
  askForUsageRefreshes,
  awaitCursor,
  type CursorRow,
  claimCursor,
  findHeads,
  findUsedSubscriptions,
  moveCursor,
  postponeCursor,
} from "./store.ts";

/** Of one shard at once. */
const POSITIONS_AT_ONCE = 5000n;

/** For workers: a step for an organization that has events to look at; false when there is none. */
export async function followNext(deps: WorkDeps): Promise<boolean> {
  let claimed: CursorRow | undefined;
  try {
    return await deps.dispatcherDb.transaction().execute(async (tx) => {
      claimed = await claimCursor(tx, deps.clock.now());
      if (claimed) await follow(tx, deps, claimed);
      return claimed !== undefined;
    });
  } catch (error) {
    if (!claimed) throw error;
    const { organization_id: organizationId } = claimed;
    deps.log.error({ err: error, organization: organizationId }, "following events failed and will be repeated");
    deps.metrics.workFailed.inc({ source: "wallets", kind: "events" });
    await postponeCursor(deps.dispatcherDb, organizationId, { now: deps.clock.now(), error: String(error) });
    return true;
  }
}

/** For whoever needs all events of an organization looked at: whoever else is at it is waited for; false when nothing is left. */
export const followFor = (deps: WorkDeps, organizationId: string): Promise<boolean> =>
  deps.dispatcherDb.transaction().execute(async (tx) => {
    const claimed = await awaitCursor(tx, organizationId);
    if (claimed) await follow(tx, deps, claimed);
    return claimed !== undefined;
  });

async function follow(tx: Tx, { clock, metrics }: WorkDeps, cursor: CursorRow): Promise<void> {
  const { organization_id: organizationId } = cursor;
  await actForOrganization(tx, organizationId);
  const positions = [...cursor.positions];
  const used = new Set<string>();
  for (const { shard, position: head } of await findHeads(tx, organizationId)) {
    while (positions.length <= shard) positions.push(0n);
    const after = positions[shard] ?? 0n;
    if (after >= head) continue;
    const upTo = after + POSITIONS_AT_ONCE < head ? after + POSITIONS_AT_ONCE : head;
    for (const id of await findUsedSubscriptions(tx, organizationId, { shard, after, upTo })) used.add(id);
    positions[shard] = upTo;
  }
  await askForUsageRefreshes(tx, organizationId, { externalIds: [...used], now: clock.now() });
  await moveCursor(tx, organizationId, { positions, now: clock.now() });
  metrics.workDone.inc({ source: "wallets", kind: "events" });
}
