/** Makes the invoice of bills: first as it is issued, again whenever a draft is refreshed, and once more when it is finalized. */
import assert from "node:assert/strict";
import { draftDates, finalizedDates } from "@tallystick/core/invoicing";
import { currency } from "@tallystick/core/money";
import { dayOf } from "@tallystick/core/time";
import { OutdatedPreparation } from "../../jobs/due.ts";
import { inOrganization, type Tx } from "../../platform/postgres/database.ts";
import { saveCountedWindows } from "../event-statuses/index.ts";
import { countedWindowsOf } from "./counted-windows.ts";
import { decideInvoice, taxRowsOf } from "./decide-invoice.ts";
import { feeRowsOf, paymentOf } from "./fee-rows.ts";
import { type Billing, loadBilling, loadBills } from "./load-billing.ts";
import { madeFromOf } from "./made-from.ts";
import { basisOf, type Measured, measureBills } from "./measure-bills.ts";
import { type Computed, type InvoiceDeps, type Making, type Standing, saveInvoice } from "./save-invoice.ts";
import { loadSpendable, NOTHING_TO_SPEND, type Spendable } from "./spendable.ts";
import { type InvoiceRow, lockInvoice } from "./store.ts";

/** issue: for the first time. refresh: a draft stays one. finalize: a draft. These two at an instant of the customer. */
export type Step =
  | { type: "issue" }
  | { type: "refresh"; at: Temporal.Instant }
  | { type: "finalize"; at: Temporal.Instant };

/** What it needs of usage, read while nothing is held. */
export async function measureInvoice(deps: InvoiceDeps, organizationId: string, id: string): Promise<Measured> {
  const bills = await inOrganization(deps.db, organizationId, (tx) => loadBills(tx, organizationId, id));
  return measureBills(deps.events, organizationId, bills);
}

/** The caller holds the customer. What is not in the state that the step is for stays as it is. */
export async function makeInvoice(
  tx: Tx,
  making: Making,
  { organizationId, id, step }: { organizationId: string; id: string; step: Step },
  measured: Measured,
): Promise<InvoiceRow> {
  const invoice = await lockInvoice(tx, organizationId, id);
  if (invoice.status !== (step.type === "issue" ? "generating" : "draft")) return invoice;
  const billing = await loadBilling(tx, organizationId, invoice);
  if (basisOf(billing.bills) !== measured.basis)
    throw new OutdatedPreparation(`the bills of invoice ${id}, or their plans, have changed`);
  await saveCountedWindows(tx, organizationId, { invoiceId: id, windows: countedWindowsOf(billing.bills, measured) });
  const timeZone = invoice.time_zone ?? billing.payer.timeZone;
  const { standing, dates } = standingOf(billing, step, timeZone);
  const of = { customerId: invoice.customer_id, isHeld: true };
  const isFinal = standing.status === "finalized";
  const spendable = isFinal ? await loadSpendable(tx, making.credits, organizationId, of) : NOTHING_TO_SPEND;
  const issue = { timeZone, standing, dates, spendable, webhookType: webhookTypeOf(step, standing) };
  return saveInvoice(tx, making, compute(billing, measured, making, issue));
}

type Issue = Pick<Computed, "timeZone" | "standing" | "dates" | "webhookType"> & { spendable: Spendable };

function compute(billing: Billing, measured: Measured, making: Making, issue: Issue): Computed {
  const { invoice, bills, payer } = billing;
  const [first] = bills;
  assert(first, "an invoice of bills has one");
  const code = currency(first.priceList.plan.currency);
  const { timeZone, standing, dates, spendable, webhookType } = issue;
  const { status } = standing;
  const at = standing.status === "finalized" ? standing.finalizedAt : invoice.occurred_at;
  const decided = decideInvoice(billing, measured, { id: invoice.id, currency: code, status, at, spendable });
  const taxRows = taxRowsOf(billing);
  const payment = paymentOf(decided.invoice.paymentStatus, at);
  return {
    invoice,
    payer,
    computed: decided.invoice,
    fees: feeRowsOf(decided, { invoiceId: invoice.id, customerId: invoice.customer_id, bills, taxRows, payment }),
    taxRows,
    currency: code,
    madeFrom: madeFromOf({ bills, payer, measured, timeZone, spendable }, making.engine),
    timeZone,
    dates,
    standing,
    webhookType,
  };
}

/** Without a grace period it is finalized at the instant that it is of. */
function standingOf({ invoice, payer }: Billing, step: Step, timeZone: string): Pick<Computed, "standing" | "dates"> {
  const { graceDays, netPaymentTermDays } = payer;
  if (step.type === "finalize" || (step.type === "issue" && graceDays === 0)) {
    const finalizedAt = step.type === "finalize" ? step.at : invoice.occurred_at;
    const standing = { status: "finalized", finalizedAt } as const;
    return { standing, dates: finalizedDates(finalizedAt, { timeZone, netPaymentTermDays }) };
  }
  const billedOn = dayOf(invoice.occurred_at, timeZone);
  const { finalizesAt, ...dates } = draftDates({ billedOn, graceDays, netPaymentTermDays, timeZone });
  // A grace period that became shorter may be over: then it is finalized now, not in the past.
  const due = step.type === "refresh" ? later(finalizesAt, step.at) : finalizesAt;
  return { standing: { status: "draft", finalizesAt: due }, dates };
}

export const later = (one: Temporal.Instant, other: Temporal.Instant): Temporal.Instant =>
  Temporal.Instant.compare(one, other) < 0 ? other : one;

function webhookTypeOf(step: Step, { status }: Standing): string | null {
  if (step.type === "refresh") return null;
  return status === "draft" ? "invoice.drafted" : "invoice.created";
}
