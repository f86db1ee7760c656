/**
 * Follows the accepted events of an organization: whose subscriptions were used, their ongoing balances are to be computed again. The
 * cursor moves in the transaction that asks for it, so no event is passed over.
 */
import { type CursorRow, findHeads, moveCursor } from "../../jobs/cursor-store.ts";
import { type Follower, followFor, followNext } from "../../jobs/follow-positions.ts";
import type { WorkDeps } from "../../jobs/run-dues.ts";
import { actForOrganization, type Tx } from "../../platform/postgres/database.ts";
import { askForUsageRefreshes, findUsedSubscriptions } from "./store.ts";

/** Of one shard at once. */
const POSITIONS_AT_ONCE = 5000n;

const WALLETS: Follower<WorkDeps> = {
  table: "wallet_cursors",
  work: { source: "wallets", kind: "events" },
  name: "following events",
  step: follow,
};

/** For workers. */
export const followNextEvents = (deps: WorkDeps): Promise<boolean> => followNext(deps, WALLETS);

/** For whoever needs all events of an organization looked at. */
export const followEventsFor = (deps: WorkDeps, organizationId: string): Promise<boolean> =>
  followFor(deps, WALLETS, organizationId);

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
  await moveCursor(tx, WALLETS.table, organizationId, { positions, now: clock.now() });
  metrics.workDone.inc(WALLETS.work);
}
