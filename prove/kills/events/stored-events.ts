/** The events that are stored, beside which those that were sent can be laid. */
import { type Records, readRecords } from "./records.ts";
import type { SentEvent } from "./sent-events.ts";

const PAGE = 10_000;

export type StoredEvent = {
  shard: number;
  position: bigint;
  id: string;
  external_subscription_id: string;
  transaction_id: string;
  code: string;
  timestamp: bigint;
  received: bigint;
  digest: string;
  texts: string;
};

/** All of an organization, shard by shard in the order of their positions. */
export async function* storedEvents(records: Records): AsyncGenerator<StoredEvent> {
  let after = { shard: -1, position: 0n };
  for (;;) {
    const rows = await readRecords<StoredEvent>(records, ROWS, after.shard, after.position, PAGE);
    const last = rows.at(-1);
    if (!last) return;
    after = last;
    yield* rows;
  }
}

/** Whether a row is the event that was sent; one that was sent without a timestamp has that of its receipt. */
export function isAsSent(row: StoredEvent, { subscription, code, properties, timestamp }: SentEvent): boolean {
  const texts: Record<string, string> = JSON.parse(row.texts);
  return (
    row.timestamp === (timestamp ?? row.received) &&
    row.external_subscription_id === subscription &&
    row.code === code &&
    Object.keys(texts).length === properties.length &&
    properties.every(({ name, canonical }) => texts[name] === canonical)
  );
}

/** Properties by their canonical texts. Instants in microseconds. */
const ROWS = `
  select shard, position, id, external_subscription_id, transaction_id, code, digest::text as digest,
    (extract(epoch from "timestamp") * 1000000)::bigint as "timestamp",
    (extract(epoch from received_at) * 1000000)::bigint as received,
    (select coalesce(jsonb_object_agg(key, coalesce(canonical ->> key, value)), '{}') from jsonb_each_text(properties)
     where value is not null)::text as texts
  from events
  where organization_id = $1 and (shard, position) > ($2::smallint, $3::bigint)
  order by shard, position limit $4`;
