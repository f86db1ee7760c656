/** Parked item: what the API gives. */
import { type Static, Type } from "@fastify/type-provider-typebox";
import type { Selectable } from "kysely";
import { id, instant, nullable, oneOf, toApiInstant } from "../../http/fields.ts";
import type { DB } from "../../platform/postgres/schema.ts";

export type ParkedItemRow = Selectable<DB["parked_items"]>;

const KINDS = ["event", "invoice", "wallet", "fee_refund"] as const;
export type ParkedKind = (typeof KINDS)[number];

const STATUSES = ["parked", "retried", "skipped"] as const;
type ParkedStatus = (typeof STATUSES)[number];

export const parkedItemSchema = Type.Object({
  svc_id: id(),
  kind: oneOf(KINDS, {
    description:
      "`event`: it makes no fee. `invoice`: it is not made. `wallet`: a top-up, an expiry or a balance. `fee_refund`: the refund of a paid fee, to be settled by hand.",
  }),
  object: Type.Object({
    type: Type.String({ examples: ["invoice"] }),
    svc_id: id("Of the object"),
    external_id: nullable(
      Type.String({ description: "`external_id` of the object; `transaction_id` of an event; null where it has none" }),
    ),
  }),
  reason: Type.String({ description: "Why it cannot be billed. After a retry that failed: why that one failed" }),
  attempts: Type.Integer({ description: "How often it was tried" }),
  parked_at: instant(),
  status: oneOf(STATUSES),
});
export type ApiParkedItem = Static<typeof parkedItemSchema>;

export const toApiParkedItem = (row: ParkedItemRow): ApiParkedItem => ({
  svc_id: row.id,
  kind: row.kind as ParkedKind,
  object: { type: row.object_type, svc_id: row.object_id, external_id: row.external_id },
  reason: row.reason,
  attempts: row.attempts,
  parked_at: toApiInstant(row.parked_at),
  status: row.status as ParkedStatus,
});
