/** All SQL on the feed. */
import { sql } from "kysely";
import type { Tx } from "../../../platform/postgres/database.ts";

export type Head = { position: bigint; forgotten: bigint };

/** Of an organization without messages, both are 0. */
export async function findHead(tx: Tx, organizationId: string): Promise<Head> {
  const row = await tx
    .selectFrom("message_heads")
    .select(["position", "forgotten_position"])
    .where("organization_id", "=", organizationId)
    .executeTakeFirst();
  return { position: BigInt(row?.position ?? 0), forgotten: BigInt(row?.forgotten_position ?? 0) };
}

export type MessageRow = {
  id: string;
  position: bigint;
  webhook_type: string;
  object_type: string;
  created_at: Temporal.Instant;
  payload: string;
};

type Page = { after: bigint; limit: number; bytesMax: number };

/** As many as fit, but at least one. Sizes are added up before any payload is sent. */
export async function findMessagesAfter(
  tx: Tx,
  organizationId: string,
  { after, limit, bytesMax }: Page,
): Promise<MessageRow[]> {
  const { rows } = await sql<MessageRow>`
    select id, position, webhook_type, object_type, created_at, payload
    from (
      select id, position, webhook_type, object_type, created_at, payload,
        sum(octet_length(payload::text)) over (order by position) as bytes, row_number() over (order by position) as number
      from (
        select * from outbox
        where organization_id = ${organizationId} and position > ${String(after)}::bigint
        order by position
        limit ${limit}::integer
      ) as next
    ) as page
    where number = 1 or bytes <= ${bytesMax}::bigint
    order by position`.execute(tx);
  return rows;
}
