/** A month of events of one subscription, generated inside the engines, because only reading is measured. */
import pg from "pg";
import type { Clickhouse } from "../../packages/server/src/platform/clickhouse/clickhouse.ts";
import { WINDOW } from "../usage-window.ts";
import { codeOf } from "./kinds.ts";

export const SUBSCRIPTION = "large";

const CHUNK = 5_000_000;

type Requested = { organizationId: string; size: number };

const microseconds = (instant: Temporal.Instant): bigint => instant.epochNanoseconds / 1000n;

/** Spread evenly over the month and over four shards, received when they happened. */
export async function fillClickhouse(clickhouse: Clickhouse, { organizationId, size }: Requested): Promise<void> {
  const step = (microseconds(WINDOW.to) - microseconds(WINDOW.from)) / BigInt(size);
  for (let from = 0; from < size; from += CHUNK) {
    const count = Math.min(CHUNK, size - from);
    await clickhouse.command(
      `insert into relay_in (
         organization_id, external_subscription_id, code, timestamp, received_at, shard, position, id, transaction_id, digest,
         properties, derivations
       )
       select {organization_id:UUID}, {subscription:String}, {code:String}, ${microseconds(WINDOW.from)} + number * ${step} as at,
         fromUnixTimestamp64Micro(at, 'UTC'), number % 4, intDiv(number, 4) + 1, generateUUIDv4(),
         concat('transaction ', toString(number)), reinterpretAsUInt128(sipHash128(number)),
         map('amount', toString((number % 100000) / 100), 'region', ['us', 'eu', 'asia'][1 + number % 3],
           'workspace', concat('w', toString(number % 10)), 'user', concat('user ', toString(number % 5003))),
         []
       from numbers(${from}, ${count})`,
      { organization_id: organizationId, subscription: SUBSCRIPTION, code: codeOf(size) },
    );
  }
}

/** Rows and bytes on disk, of all sizes so far. */
export async function sizeOf(clickhouse: Clickhouse, { organizationId, size }: Requested) {
  const [parts] = await clickhouse.query<Record<string, string>>(
    `select sumIf(rows, table = 'events') as events, sumIf(bytes_on_disk, table = 'events') as event_bytes,
       sumIf(rows, table = 'usage_cells') as cells, sumIf(bytes_on_disk, table = 'usage_cells') as cell_bytes
     from system.parts where active and database = currentDatabase()`,
  );
  return { organizationId, size, onDiskSoFar: parts };
}

/** The same, with the keys and indexes of the service. */
export async function fillPostgres(url: string, { organizationId, size }: Requested): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    `insert into events (organization_id, id, "timestamp", received_at, position, shard, digest, external_subscription_id,
       transaction_id, code, properties)
     select $1, gen_random_uuid(), $2::timestamptz + (n::numeric / $3::integer) * ($4::timestamptz - $2::timestamptz), now(),
       n / 4 + 1, n % 4, (2::numeric ^ 64 * abs(hashint8extended(n, 0)::numeric)) + abs(hashint8extended(n, 1)::numeric),
       $5, 'transaction ' || n, $6,
       jsonb_build_object('amount', (n % 100000) / 100.0, 'region', (array['us', 'eu', 'asia'])[1 + n % 3],
         'workspace', 'w' || n % 10, 'user', 'user ' || n % 5003)
     from generate_series(0, $3::integer - 1) as n`,
    [organizationId, String(WINDOW.from), size, String(WINDOW.to), SUBSCRIPTION, codeOf(size)],
  );
  await client.query("vacuum analyze events");
  await client.end();
}
