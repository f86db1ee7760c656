/** Maps rows of ClickHouse, where numbers are text and nothing is NULL, to the rows that usage is measured from. */
import { type Decimal, decimal } from "@tallystick/core/money";
import type { UsageScope } from "../../event-store.ts";
import type { AcceptedRow, BucketRow, TurnRow, TurnsRow } from "../../rows.ts";
import { type EventRow, microsecondsOf, type SumRow, type TurnedRow, type TurnsCountRow } from "./store.ts";

export function toBucketRow(row: SumRow, window: UsageScope["window"]): BucketRow {
  const [carried, added] = [decimal(row.carried_sum), decimal(row.added_sum)];
  return {
    charge: row.charge,
    filter: row.filter,
    groups: toGroups(row.groups),
    seen: BigInt(row.events_seen),
    counted: BigInt(row.events_counted),
    digest: decimal(row.digest_sum),
    carried,
    added,
    removals: BigInt(row.removals_sum),
    unit_seconds: unitSecondsOf({ carried, added, weighed: decimal(row.weighed_sum) }, window),
    value: decimal(row.found_value),
  };
}

/** An empty text means a group without a value. */
export const toGroups = (groups: readonly string[]): (string | null)[] =>
  groups.map((value) => (value === "" ? null : value));

const MICROSECOND_NS = 1000n;
const nanoseconds = (count: bigint): Decimal => decimal(`${count}e-9`);

/** Values from before the window count from its start; later ones up to its last whole microsecond, plus the remainder. */
function unitSecondsOf(
  { carried, added, weighed }: { carried: Decimal; added: Decimal; weighed: Decimal },
  { from, to }: UsageScope["window"],
): Decimal {
  const left = to.epochNanoseconds - microsecondsOf(to, "floor") * MICROSECOND_NS;
  return carried
    .times(nanoseconds(to.epochNanoseconds - from.epochNanoseconds))
    .plus(weighed.times(nanoseconds(MICROSECOND_NS)))
    .plus(added.times(nanoseconds(left)));
}

export const toTurnsRow = ({ groups, carried_sum, added_sum, removed_sum, ...place }: TurnsCountRow): TurnsRow => ({
  ...place,
  groups: toGroups(groups),
  carried: decimal(carried_sum),
  added: decimal(added_sum),
  removed: decimal(removed_sum),
});

export const toTurnRow = ({ charge, filter, groups, timestamp, value, turn }: TurnedRow): TurnRow => ({
  charge,
  filter,
  groups: toGroups(groups),
  timestamp: instantOf(timestamp),
  value,
  turn,
});

export const toAcceptedRow = (row: EventRow): AcceptedRow => ({
  id: row.id,
  transaction_id: row.transaction_id,
  timestamp: instantOf(row.timestamp),
  received_at: instantOf(row.received_micros),
  shard: row.shard,
  position: BigInt(row.position),
  texts: row.texts,
});

const instantOf = (microseconds: string): Temporal.Instant =>
  Temporal.Instant.fromEpochNanoseconds(BigInt(microseconds) * MICROSECOND_NS);
