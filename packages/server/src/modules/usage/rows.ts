/** What a store of events answers with, row by row. */
import type { Decimal } from "@tallystick/core/money";

/** What the events of one filter and group of a charge come to; null where the metric has no such figure. */
export type BucketRow = {
  charge: number;
  filter: number;
  /** Of each group that the charge knows, in its order; null also where this filter is not grouped by it. */
  groups: (string | null)[];
  seen: bigint;
  counted: bigint;
  digest: Decimal | null;
  carried: Decimal | null;
  added: Decimal | null;
  /** Of a unique count: events that may take a value out of use. If there are any, its turns have to be walked. */
  removals: bigint | null;
  unit_seconds: Decimal | null;
  /** The largest, or the latest. */
  value: Decimal | null;
};

/** How often the values of a unique count came into use and went out of it. */
export type TurnsRow = Pick<BucketRow, "charge" | "filter" | "groups"> & {
  carried: Decimal;
  added: Decimal;
  removed: Decimal;
};

/** An event that brought a value of a unique count into use, 1, or took it out of it, -1. */
export type TurnRow = Pick<BucketRow, "charge" | "filter" | "groups"> & {
  timestamp: Temporal.Instant;
  value: string;
  turn: 1 | -1;
};

/** The numbers that were counted, in order of time and with a space between them. */
export type ListRow = Pick<BucketRow, "charge" | "filter" | "groups"> & {
  list: string | null;
  /** For each of them, how many of the day marks that were given lie not after it. */
  days: string | null;
};

/** With the texts of its properties, in the order of the names that its metric's charges look at. */
export type AcceptedRow = {
  id: string;
  transaction_id: string;
  timestamp: Temporal.Instant;
  received_at: Temporal.Instant;
  shard: number;
  position: bigint;
  texts: (string | null)[];
};
