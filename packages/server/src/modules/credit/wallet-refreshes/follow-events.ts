/**
 * Follows the accepted events of an organization and requests a refresh of the ongoing balances whose subscriptions were used.
 * The cursor moves in the same transaction, so no event is skipped.
 */

import type { DueRegistry } from "../../../jobs/due.ts";
import type { WorkDeps } from "../../../jobs/run-dues.ts";
import { alone } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { type CursorRow, type Follower, findHeads, followFor, followNext, moveCursor } from "../../events/index.ts";
import { askForUsageRefreshes, findEventAt, findUsedSubscriptions } from "./store.ts";

/** The limit for one shard. */
const POSITIONS_AT_ONCE = 5000;

/** The source name of parked events. */
export const WALLET_EVENTS = "wallet_events";

/** The shared registry of due work lists what this follower parks. */
export type FollowDeps = WorkDeps & { registry: DueRegistry };

const WALLETS: Follower<FollowDeps> = {
  table: "wallet_cursors",
  work: { source: "wallets", kind: "events" },
  name: "following events",
  limit: POSITIONS_AT_ONCE,
  step: follow,
  park: parkEvent,
};

export const followNextEvents = (deps: FollowDeps): Promise<boolean> => followNext(deps, WALLETS);

/** Follows the events of one organization on request. */
export const followEventsFor = (deps: FollowDeps, organizationId: string): Promise<boolean> =>
  followFor(deps, WALLETS, organizationId);

/** Reads all shards at once. When a failing step is narrowed down, it reads one shard after the other. */
async function follow(tx: Tx, { clock, metrics }: FollowDeps, cursor: CursorRow, limit: number): Promise<void> {
  const { organization_id: organizationId } = cursor;
  const spans = await spansOf(tx, cursor, limit);
  const taken = limit === POSITIONS_AT_ONCE ? spans : spans.slice(0, 1);
  const used = new Set<string>();
  for (const span of taken) for (const id of await findUsedSubscriptions(tx, organizationId, span)) used.add(id);
  await askForUsageRefreshes(tx, organizationId, { externalIds: [...used], now: clock.now() });
  await moveCursor(tx, WALLETS.table, organizationId, { positions: pastAll(cursor, taken), now: clock.now() });
  metrics.workDone.inc(WALLETS.work);
}

type Span = { shard: number; after: bigint; upTo: bigint };

/** The next positions of each shard with new events. */
async function spansOf(tx: Tx, { organization_id, positions }: CursorRow, limit: number): Promise<Span[]> {
  const heads = await findHeads(tx, organization_id);
  return heads
    .toSorted((one, other) => one.shard - other.shard)
    .map(({ shard, position: head }) => {
      const after = positions[shard] ?? 0n;
      const upTo = after + BigInt(limit);
      return { shard, after, upTo: upTo < head ? upTo : head };
    })
    .filter(({ after, upTo }) => after < upTo);
}

function pastAll({ positions: before }: CursorRow, spans: readonly Span[]): bigint[] {
  const shards = Math.max(before.length, ...spans.map(({ shard }) => shard + 1));
  return Array.from(
    { length: shards },
    (_, shard) => spans.find((span) => span.shard === shard)?.upTo ?? before[shard] ?? 0n,
  );
}

/** A parked event requests no refresh. Its balances are computed with the next refresh. */
async function parkEvent(
  tx: Tx,
  { clock, registry }: FollowDeps,
  cursor: CursorRow,
  failure: { reason: string; attempts: number },
): Promise<void> {
  const { organization_id: organizationId } = cursor;
  const [span] = await spansOf(tx, cursor, 1);
  if (!span) return;
  const event = await findEventAt(tx, organizationId, span);
  const now = clock.now();
  const work = { shard: span.shard, position: String(span.upTo) };
  if (event) {
    const object = { type: "event", id: event.id, externalId: event.transaction_id };
    const item = { kind: "wallet", object, customerId: null, source: WALLET_EVENTS, work, ...failure } as const;
    await registry.park(alone(tx), organizationId, item, now);
  }
  await moveCursor(tx, WALLETS.table, organizationId, { positions: pastAll(cursor, [span]), now });
}

/** Runs in the transaction that resolves the parked event. */
export async function retryWalletEvent(
  tx: Tx,
  { clock }: Pick<FollowDeps, "clock">,
  organizationId: string,
  work: unknown,
): Promise<void> {
  const { shard, position } = work as { shard: number; position: string };
  const upTo = BigInt(position);
  const externalIds = await findUsedSubscriptions(tx, organizationId, { shard, after: upTo - 1n, upTo });
  await askForUsageRefreshes(tx, organizationId, { externalIds, now: clock.now() });
}
