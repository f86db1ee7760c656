/** The rows that an event store returns. */
import type { Decimal } from "@tallystick/core/money";

/** The figures of one filter and group of a charge; null if the metric has no such figure. */
export type BucketRow = {
  charge: number;
  filter: number;
  /** For each group of the charge, in its order; null also if this filter is not grouped by it. */
  groups: (string | null)[];
  seen: bigint;
  counted: bigint;
  digest: Decimal | null;
  carried: Decimal | null;
  added: Decimal | null;
  /** For a unique count: events that may remove a value. If there are any, additions and removals must be read in order. */
  removals: bigint | null;
  unit_seconds: Decimal | null;
  /** The largest, or the latest. */
  value: Decimal | null;
};

/** How often the values of a unique count were added and removed. */
export type TurnsRow = Pick<BucketRow, "charge" | "filter" | "groups"> & {
  carried: Decimal;
  added: Decimal;
  removed: Decimal;
};

/** An event that added a value of a unique count, 1, or removed it, -1. */
export type TurnRow = Pick<BucketRow, "charge" | "filter" | "groups"> & {
  timestamp: Temporal.Instant;
  value: string;
  turn: 1 | -1;
};

/** The numbers that were counted, in order of time, separated by spaces. */
export type ListRow = Pick<BucketRow, "charge" | "filter" | "groups"> & {
  list: string | null;
  /** For each of them, how many of the day marks are not after it. */
  days: string | null;
};

/** With the texts of its properties, in the order of the names that its metric's charges use. */
export type AcceptedRow = {
  id: string;
  transaction_id: string;
  timestamp: Temporal.Instant;
  received_at: Temporal.Instant;
  shard: number;
  position: bigint;
  texts: (string | null)[];
};
