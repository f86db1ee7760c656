/** The invoices around a change of a subscription: the next one before it, those that it makes, and the next one after it. */
import { spendableAfter } from "@tallystick/core/invoicing";
import { Problem } from "../../../http/problem.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import type { EventStore } from "../../usage/index.ts";
import { measureBills } from "./measure-bills.ts";
import { billsToMeasure, decidePreview, describePreview, findPreview, loadDue, type Preview } from "./preview.ts";
import type { ApiPreview } from "./preview-to-api.ts";
import type { InvoiceCredits } from "./spendable.ts";
import { findBillsToInvoice } from "./store.ts";

/** As it was before the change. */
export type Before = { next: Preview | null; billIds: ReadonlySet<string> };

export type InvoicesOfChange = { before: Preview | null; made: readonly Preview[]; after: Preview | null };

type Of = { customerId: string; externalId: string };

export async function loadBefore(
  tx: Tx,
  credits: InvoiceCredits,
  organizationId: string,
  { customerId, externalId }: Of,
): Promise<Before> {
  const waiting = await findBillsToInvoice(tx, organizationId, customerId);
  return {
    next: foundOrNull(await findPreview(tx, credits, organizationId, { externalId })),
    billIds: new Set(waiting.map(({ bill_id }) => bill_id)),
  };
}

/** In the transaction of the change, after it. */
export async function loadInvoicesOf(
  tx: Tx,
  credits: InvoiceCredits,
  organizationId: string,
  { customerId, externalId, before }: Of & { before: Before },
): Promise<InvoicesOfChange> {
  const waiting = await findBillsToInvoice(tx, organizationId, customerId);
  const made = waiting.filter(({ bill_id }) => !before.billIds.has(bill_id));
  const ids = [...new Set(made.map(({ invoice_id }) => invoice_id))];
  const previews: Preview[] = [];
  for (const id of ids) previews.push(await loadDue(tx, credits, organizationId, id));
  const after = await findPreview(tx, credits, organizationId, { externalId, except: ids });
  return { before: before.next, made: previews, after: foundOrNull(after) };
}

const foundOrNull = (found: Preview | Problem): Preview | null => (found instanceof Problem ? null : found);

export type ApiChange = {
  before: ApiPreview | null;
  made: readonly (ApiPreview & { as: Preview["status"] })[];
  after: ApiPreview | null;
};

/** Each invoice finds what the ones before it leave of the customer's credits. Locks nothing: measuring usage may take long. */
export async function decideChange(
  { events, clock }: { events: EventStore; clock: Clock },
  organizationId: string,
  { before, made, after }: InvoicesOfChange,
): Promise<ApiChange> {
  const previews = [before, ...made, after].filter((one) => one !== null);
  const measured = await measureBills(events, organizationId, previews.flatMap(billsToMeasure));
  const show = (preview: Preview) => {
    const decided = decidePreview(preview, measured);
    return { shown: describePreview(preview, decided, clock), uses: decided.decided.invoice };
  };
  let spendable = made[0]?.spendable ?? after?.spendable;
  const inTurn = (preview: Preview): ApiPreview => {
    const { shown, uses } = show(spendable ? { ...preview, spendable } : preview);
    if (spendable) spendable = spendableAfter(spendable, uses);
    return shown;
  };
  return {
    before: before && show(before).shown,
    made: made.map((one) => ({ ...inTurn(one), as: one.status })),
    after: after && inTurn(withEarlier(after, made)),
  };
}

/** A commitment counts what the invoices of the change bill of its period. */
function withEarlier(after: Preview, made: readonly Preview[]): Preview {
  const bills = made.flatMap((one) => one.bills);
  const earlier = after.bills.map(({ billId, subscriptionId }) => {
    const own = bills.filter((bill) => bill.subscriptionId === subscriptionId);
    return [billId, [...(after.earlier.get(billId) ?? []), ...own]] as const;
  });
  return { ...after, earlier: new Map(earlier) };
}
