/** Stored events as the API shows them, each with the subscription that it counts for and what became of it. */
import type { Tx } from "../../../platform/postgres/database.ts";
import { loadEventStatuses, type StatusEvent } from "../../invoicing/index.ts";
import { findLivingAt } from "../../subscriptions/index.ts";
import { microsecondsOf } from "./event-columns.ts";
import type { EventRow } from "./store.ts";
import { toApiEvent } from "./to-api.ts";

export async function describeEvents(tx: Tx, organizationId: string, rows: readonly EventRow[]): Promise<string[]> {
  const moments = rows.map((row) => ({ externalId: row.external_subscription_id, at: row.timestamp }));
  const living = new Map((await findLivingAt(tx, organizationId, moments)).map((found) => [found.number, found]));
  const statuses = await loadEventStatuses(tx, organizationId, rows.map(toStatusEvent));
  return rows.map((row, number) =>
    toApiEvent({
      id: row.id,
      transactionId: row.transaction_id,
      externalSubscriptionId: row.external_subscription_id,
      code: row.code,
      timestamp: microsecondsOf(row.timestamp),
      receivedAt: microsecondsOf(row.received_at),
      properties: row.properties,
      subscription: living.get(number),
      status: statuses[number],
    }),
  );
}

const toStatusEvent = (row: EventRow): StatusEvent => ({
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
