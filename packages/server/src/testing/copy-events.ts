/** Copies accepted events to ClickHouse at once, for tests that read them there and do not test the relay. */
import { sql } from "kysely";
import type { Cut, Relay } from "../modules/usage/index.ts";
import type { Clickhouse } from "../platform/clickhouse/clickhouse.ts";
import { type Database, inSnapshot, type Tx } from "../platform/postgres/database.ts";

/** Copies events accepted since the last copy, each once, one copy of an organization at a time. */
export function createCopyRelay(db: Database, clickhouse: Clickhouse): Pick<Relay, "catchUp"> {
  const last = new Map<string, Promise<Cut>>();
  return {
    catchUp: (organizationId) => {
      const before = last.get(organizationId) ?? Promise.resolve([]);
      const copy = before.then((copied) => copyFrom(db, clickhouse, organizationId, copied));
      last.set(organizationId, copy);
      return copy;
    },
  };
}

async function copyFrom(db: Database, clickhouse: Clickhouse, organizationId: string, copied: Cut): Promise<Cut> {
  const { heads, rows } = await inSnapshot(db, organizationId, async (tx) => {
    const heads = await findHeads(tx, organizationId);
    const fresh = heads.filter(({ shard, position }) => position > (copied[shard] ?? 0n));
    const since = fresh.map(({ shard }) => ({ shard, position: copied[shard] ?? 0n }));
    return { heads, rows: since.length > 0 ? await findSince(tx, organizationId, since) : [] };
  });
  const token = `${organizationId} ${heads.map(({ shard, position }) => `${shard}:${position}`)}`;
  await clickhouse.insert({ table: "relay_in", rows: rows.map(({ row }) => row).join("\n"), token });
  const shards = 1 + Math.max(-1, ...heads.map(({ shard }) => shard));
  return Array.from({ length: shards }, (_, shard) => heads.find((head) => head.shard === shard)?.position ?? 0n);
}

const findHeads = (tx: Tx, organizationId: string) =>
  tx.selectFrom("event_heads").select(["shard", "position"]).where("organization_id", "=", organizationId).execute();

/** Rows for ClickHouse, in JSON. */
async function findSince(
  tx: Tx,
  organizationId: string,
  since: readonly { shard: number; position: bigint }[],
): Promise<{ row: string }[]> {
  const isNew = since.map(({ shard, position }) => sql`shard = ${shard} and position > ${position}`);
  const found = await sql<{ row: string }>`
    select json_build_object(
      'organization_id', organization_id, 'external_subscription_id', external_subscription_id, 'code', code,
      'timestamp', (extract(epoch from "timestamp") * 1000000)::bigint,
      'received_at', to_char(received_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'), 'shard', shard,
      'position', position::text, 'id', id, 'transaction_id', transaction_id, 'digest', digest::text,
      'properties', coalesce((
        select json_object_agg(name, coalesce(canonical ->> name, value))
        from jsonb_each_text(properties) as property (name, value) where value is not null
      ), '{}'), 'derivations', '[]'::json)::text as row
    from events where organization_id = ${organizationId} and (${sql.join(isNew, sql` or `)})`.execute(tx);
  return found.rows;
}
