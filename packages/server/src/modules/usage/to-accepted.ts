/** Maps the row of an event to the form that fees per event need. */
import { isCounted } from "@tallystick/core/usage";
import { toOrder } from "./acceptance.ts";
import type { AcceptedEvent } from "./event-store.ts";
import type { MetricReading } from "./metric-reading.ts";
import type { AcceptedRow } from "./rows.ts";

export function toAccepted(reading: MetricReading, row: AcceptedRow): AcceptedEvent {
  const properties = toProperties(reading, row.texts);
  return {
    id: row.id,
    transactionId: row.transaction_id,
    at: row.timestamp,
    receivedAt: row.received_at,
    position: toOrder({ receivedAt: row.received_at, shard: row.shard, position: row.position }),
    properties,
    isCounted: isCounted(reading.metric.aggregation, { properties }),
  };
}

function toProperties({ names }: MetricReading, texts: readonly (string | null)[]): Record<string, string> {
  const known = names.map((name, index): [string, string | null] => [name, texts[index] ?? null]);
  return Object.fromEntries(known.filter((entry): entry is [string, string] => entry[1] !== null));
}
