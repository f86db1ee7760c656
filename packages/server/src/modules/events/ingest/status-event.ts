/** The parts of an event that decide its billing status and its faults. */

export type StatusEvent = {
  id: string;
  externalSubscriptionId: string;
  code: string;
  at: Temporal.Instant;
  shard: number;
  position: bigint;
  /** Properties by name, as canonical texts. */
  texts: Readonly<Record<string, string>>;
};

type Row = {
  id: string;
  external_subscription_id: string;
  code: string;
  timestamp: Temporal.Instant;
  shard: number;
  position: bigint;
  texts: Readonly<Record<string, string | null>> | null;
};

export const toStatusEvent = (row: Row): StatusEvent => ({
  id: row.id,
  externalSubscriptionId: row.external_subscription_id,
  code: row.code,
  at: row.timestamp,
  shard: row.shard,
  position: row.position,
  texts: Object.fromEntries(
    Object.entries(row.texts ?? {}).filter((entry): entry is [string, string] => entry[1] !== null),
  ),
});
