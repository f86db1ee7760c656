/** Runs a change of a subscription in a transaction that is rolled back, and says which documents it would make. */

import { toApiInstant } from "../../../http/fields.ts";
import type { Clock } from "../../../platform/clock.ts";
import { alone } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { type ApiCreditNote, describeNotes, findNotesOfCustomer } from "../../credit/index.ts";
import {
  type ApiPreview,
  decideChange,
  type InvoiceCredits,
  type InvoicesOfChange,
  loadBefore,
  loadInvoicesOf,
} from "../../invoicing/index.ts";
import { holdCustomerOf, type LifeDeps, makeChange, type SubscriptionChange } from "../../subscriptions/index.ts";
import type { EventStore } from "../../usage/index.ts";
import type { ApiChangePreview, CreditNoteOfChange, InvoiceOfChange } from "./schema.ts";

export type PreviewDeps = LifeDeps & { clock: Clock; events: EventStore; credits: InvoiceCredits };

type Loaded = { takesEffectAt: Temporal.Instant; invoices: InvoicesOfChange; notes: readonly ApiCreditNote[] };

const externalIdOf = (change: SubscriptionChange): string =>
  change.type === "subscribe" ? change.request.externalId : change.addressed.externalId;

/** Loads what is needed to decide, so that nothing is locked while usage is measured. */
export async function loadChange(
  tx: Tx,
  deps: PreviewDeps,
  organizationId: string,
  change: SubscriptionChange,
): Promise<Loaded> {
  const externalId = externalIdOf(change);
  const held = await holdCustomerOf(tx, organizationId, change, deps);
  const known = held && { customerId: held.customerId, externalId };
  const before = known
    ? await loadBefore(tx, deps.credits, organizationId, known)
    : { next: null, billIds: new Set<string>() };
  const noted = new Set(known && (await findNotesOfCustomer(tx, organizationId, known.customerId)).map(({ id }) => id));
  const { customerId, takesEffectAt } = await makeChange(tx, organizationId, { change, held }, deps);
  const notes = await findNotesOfCustomer(tx, organizationId, customerId);
  const made = notes.filter(({ id }) => !noted.has(id));
  return {
    takesEffectAt,
    notes: await describeNotes(alone(tx), organizationId, made),
    invoices: await loadInvoicesOf(tx, deps.credits, organizationId, { customerId, externalId, before }),
  };
}

export async function describeChange(
  deps: PreviewDeps,
  organizationId: string,
  { takesEffectAt, invoices, notes }: Loaded,
): Promise<ApiChangePreview> {
  const { before, made, after } = await decideChange(deps, organizationId, invoices);
  const madeNotes = new Set(notes.map(({ svc_id }) => svc_id));
  const toApi = (invoice: ApiPreview, status: InvoiceOfChange["status"]) => toApiInvoice(invoice, status, madeNotes);
  return {
    takes_effect_at: toApiInstant(takesEffectAt),
    now: { invoices: made.map(({ as, ...invoice }) => toApi(invoice, as)), credit_notes: notes.map(toApiNote) },
    next_invoice_before: before && toApi(before, "draft"),
    next_invoice_after: after && toApi(after, "draft"),
  };
}

/** As it would be right after it is made. */
function toApiInvoice(
  invoice: ApiPreview,
  status: InvoiceOfChange["status"],
  madeNotes: ReadonlySet<string>,
): InvoiceOfChange {
  return {
    ...invoice,
    status,
    total_due_amount_cents: status === "finalized" ? invoice.total_amount_cents : invoice.total_due_amount_cents,
    credits: invoice.credits.map(({ item, ...credit }) => ({
      ...credit,
      item: madeNotes.has(item.svc_item_id) ? { ...item, svc_item_id: null, code: null } : item,
    })),
  };
}

const toApiNote = (note: ApiCreditNote): CreditNoteOfChange => ({
  ...note,
  svc_id: null,
  sequential_id: null,
  number: null,
  created_at: null,
  updated_at: null,
  file_url: null,
  items: note.items.map((item) => ({ ...item, svc_id: null })),
  applied_taxes: note.applied_taxes.map((tax) => ({
    ...tax,
    svc_id: null,
    svc_credit_note_id: null,
    created_at: null,
  })),
});
