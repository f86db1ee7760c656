/** What became of each event that was sent: exactly one thing, and the fees that count it say so too. */
import { NOT_BILLED_REASONS } from "@tallystick/core/invoicing";
import type { Invoice } from "./compare.ts";

export type SeenEvent = {
  transaction_id: string;
  code: string;
  status: string;
  reason: string | null;
  svc_fee_ids: string[];
};
type Known = {
  /** The ids of all events that were accepted. */
  sent: readonly string[];
  invoices: readonly Invoice[];
  /** Metrics whose fees are of exactly the events that name them. */
  plainCodes: ReadonlySet<string>;
};

export function statusesDiffer(events: readonly SeenEvent[], { sent, invoices, plainCodes }: Known): string[] {
  const seen = events.map(({ transaction_id: id }) => id);
  const billed = events.filter(({ status }) => status === "billed");
  const fees = invoices.flatMap((invoice) => invoice.fees).filter(({ item }) => item.type === "charge");
  const naming = Map.groupBy(
    billed.flatMap((event) => event.svc_fee_ids),
    (id) => id,
  );
  const wrongCounts = fees.filter(
    ({ svc_id, events_count, item, svc_true_up_parent_fee_id }) =>
      svc_true_up_parent_fee_id === null &&
      plainCodes.has(item.code) &&
      (naming.get(svc_id)?.length ?? 0) !== (events_count ?? 0),
  );
  return [
    ...sent.filter((id) => !seen.includes(id)).map((id) => `event ${id} is not shown`),
    ...(new Set(seen).size < seen.length ? ["an event is shown twice"] : []),
    ...events.filter((event) => !isOneStatus(event)).map((event) => `event ${JSON.stringify(event)}`),
    ...wrongCounts.map(({ svc_id, events_count, item }) => {
      const own = billed.filter((event) => event.svc_fee_ids.includes(svc_id)).map((event) => event.transaction_id);
      return `fee ${svc_id} of ${JSON.stringify(item)} has ${events_count} events, and is named by ${own}`;
    }),
  ];
}

function isOneStatus({ status, reason, svc_fee_ids }: SeenEvent): boolean {
  if (status === "not_billed") return NOT_BILLED_REASONS.some((known) => known === reason) && svc_fee_ids.length === 0;
  if (status === "open") return reason === null && svc_fee_ids.length === 0;
  return status === "billed" && reason === null && new Set(svc_fee_ids).size === svc_fee_ids.length;
}
