/**
 * Which events came before a change of plan at the same instant. This is the only place of the capability that reads tables of the
 * capabilities above it. It writes nothing.
 */
import { sql } from "kysely";
import type { Tx } from "../../../platform/postgres/database.ts";

/**
 * The positions that advance fees have processed, by shard, if they include events of these codes at this exact instant; null otherwise.
 * Without a cursor, all accepted events count as processed.
 */
export async function findPassedAt(
  tx: Tx,
  organizationId: string,
  { externalId, codes, at }: { externalId: string; codes: readonly string[]; at: Temporal.Instant },
): Promise<readonly string[] | null> {
  const { rows } = await sql<{ positions: string[] }>`
    select positions::text[] as positions
    from (
      select coalesce(
        (select positions from advance_cursors where organization_id = ${organizationId}),
        (select array_agg(coalesce(head.position, 0) order by shard.number)
          from generate_series(0, (select max(shard) from event_heads where organization_id = ${organizationId})) as shard (number)
          left join event_heads head on head.organization_id = ${organizationId} and head.shard = shard.number)
      ) as positions
    ) as passed
    where exists (
      select from events
      where organization_id = ${organizationId} and external_subscription_id = ${externalId} and code = any(${codes}::text[])
        and "timestamp" = ${at}::timestamptz and position <= positions[shard + 1]
    )`.execute(tx);
  return rows[0]?.positions ?? null;
}
