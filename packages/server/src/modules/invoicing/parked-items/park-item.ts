/** Parks one item that cannot be billed, so that everything else goes on, and publishes it. */
import { publish } from "../../../jobs/outbox.ts";
import { newId } from "../../../platform/new-id.ts";
import type { Batch } from "../../../platform/postgres/batch.ts";
import { type ParkedKind, toApiParkedItem } from "./schema.ts";
import { insertParkedItem } from "./store.ts";

export type NewParkedItem = {
  kind: ParkedKind;
  /** The object for the operator. */
  object: { type: string; id: string; externalId?: string | null };
  customerId: string | null;
  /** The consumer, due kind or use case that failed. */
  source: string;
  /** Identifies the work; the same work is parked once while it is open. Default: the object itself. */
  itemId?: string;
  /** What the source needs for a retry. */
  work?: object;
  /** Text for the operator. */
  reason: string;
  attempts?: number;
};

const REASON_LENGTH_MAX = 1000;

/** Returns the id of the parked item; undefined if it is already parked. */
export async function parkItem(
  batch: Batch,
  organizationId: string,
  item: NewParkedItem,
  now: Temporal.Instant,
): Promise<string | undefined> {
  const { kind, object, customerId, source, itemId = object.id, work = {}, reason, attempts = 1 } = item;
  const row = await insertParkedItem(batch.tx, organizationId, {
    id: newId(),
    kind,
    object_type: object.type,
    object_id: object.id,
    external_id: object.externalId ?? null,
    customer_id: customerId,
    source,
    item_id: itemId,
    work: JSON.stringify(work),
    reason: reason.slice(0, REASON_LENGTH_MAX),
    attempts,
    parked_at: now,
  });
  if (!row) return undefined;
  const change = { objectType: "parked_item", objectId: row.id, object: toApiParkedItem(row), once: true };
  await publish(batch, organizationId, { webhookType: "billing.parked", ...change }, now);
  return row.id;
}
