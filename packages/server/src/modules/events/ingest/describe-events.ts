/** Stored events in their API form, each with its subscription and its billing status. */
import type { EventStatus } from "@tallystick/core/invoicing";
import type { Tx } from "../../../platform/postgres/database.ts";
import { findLivingAt } from "../../subscriptions/index.ts";
import { microsecondsOf } from "./event-timestamp.ts";
import { type StatusEvent, toStatusEvent } from "./status-event.ts";
import type { EventRow } from "./store.ts";
import { toApiEvent } from "./to-api.ts";

/** The statuses of events, in their order. */
export type LoadStatuses = (tx: Tx, organizationId: string, events: readonly StatusEvent[]) => Promise<EventStatus[]>;

export async function describeEvents(
  tx: Tx,
  organizationId: string,
  rows: readonly EventRow[],
  loadStatuses: LoadStatuses,
): Promise<string[]> {
  const moments = rows.map((row) => ({ externalId: row.external_subscription_id, at: row.timestamp }));
  const living = new Map((await findLivingAt(tx, organizationId, moments)).map((found) => [found.number, found]));
  const statuses = await loadStatuses(tx, organizationId, rows.map(toStatusEvent));
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
