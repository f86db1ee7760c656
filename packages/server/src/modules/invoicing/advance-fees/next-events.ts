/** The next events in order of acceptance: within a shard by position, among shards by time of receipt. */

import type { Tx } from "../../../platform/postgres/database.ts";
import { type CursorRow, findHeads } from "../../events/index.ts";
import { type EventRow, findEvents } from "./store.ts";

/** The limit for one shard. Most events may belong to metrics without a charge in advance. */
const POSITIONS_AT_ONCE = 2000n;

type Lane = {
  shard: number;
  events: readonly EventRow[];
  /** There are no other events up to here. */
  upTo: bigint;
  isAtHead: boolean;
};

/** An event, or a range without events. `positions` are those that are processed afterwards. */
export type NextEvent = { event: EventRow | null; positions: readonly bigint[] };

export async function* nextEvents(
  tx: Tx,
  { organization_id: organizationId, positions: before }: CursorRow,
): AsyncGenerator<NextEvent> {
  const lanes: Lane[] = [];
  const positions = [...before];
  for (const { shard, position: head } of await findHeads(tx, organizationId)) {
    while (positions.length <= shard) positions.push(0n);
    const after = positions[shard] ?? 0n;
    if (after >= head) continue;
    const upTo = after + POSITIONS_AT_ONCE < head ? after + POSITIONS_AT_ONCE : head;
    const events = await findEvents(tx, organizationId, { shard, after, upTo });
    lanes.push({ shard, events, upTo, isAtHead: upTo === head });
  }
  yield* inOrder(lanes, positions);
}

/** A shard with unread events stops the others where its own events end, because its next event may be earlier. */
function* inOrder(lanes: readonly Lane[], before: readonly bigint[]): Generator<NextEvent> {
  const positions = [...before];
  const taken = new Map<Lane, number>();
  const nextOf = (lane: Lane): EventRow | undefined => lane.events[taken.get(lane) ?? 0];
  for (;;) {
    const isUncertain = lanes.some((lane) => !lane.isAtHead && nextOf(lane) === undefined);
    const [first] = lanes
      .filter((lane) => nextOf(lane) !== undefined)
      .sort((one, other) => compare(nextOf(one), nextOf(other)));
    const event = first && nextOf(first);
    if (isUncertain || !first || !event) break;
    taken.set(first, (taken.get(first) ?? 0) + 1);
    positions[first.shard] = event.position;
    yield { event, positions: [...positions] };
  }
  for (const lane of lanes) if (nextOf(lane) === undefined) positions[lane.shard] = lane.upTo;
  yield { event: null, positions };
}

const compare = (one: EventRow | undefined, other: EventRow | undefined): number =>
  one && other ? Temporal.Instant.compare(one.received_at, other.received_at) || one.shard - other.shard : 0;
