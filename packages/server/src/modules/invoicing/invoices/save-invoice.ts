/** Saves an invoice: fees, figures, dates, number, next due work, and the message. */
import type { computeInvoice, InvoiceDates, Tax } from "@tallystick/core/invoicing";
import { checkLimits, explainLimit, invoiceNumber, overdueAt } from "@tallystick/core/invoicing";
import { type Minor, minor } from "@tallystick/core/money";
import { type DueRegistry, rescheduleDues } from "../../../jobs/due.ts";
import { CannotBill } from "../../../jobs/failures.ts";
import { publish } from "../../../jobs/outbox.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Batch } from "../../../platform/postgres/batch.ts";
import type { Database } from "../../../platform/postgres/database.ts";
import { askToEndCustomer } from "../../customers/index.ts";
import type { EventStore } from "../../usage/index.ts";
import { deleteFeesOfInvoice, type NewFee, saveFees } from "../fees/index.ts";
import { insertInvoiceCredits } from "../invoice-credits/index.ts";
import { describeInvoice } from "./describe-invoices.ts";
import type { DocumentHooks } from "./document-hooks.ts";
import { FINALIZATION_DUE, OVERDUE_DUE } from "./due-names.ts";
import { type TaxRows, toTaxOf } from "./fee-rows.ts";
import type { Payer } from "./load-billing.ts";
import type { Engine } from "./made-from.ts";
import { readyUnlessPaused } from "./pause-billing.ts";
import { billReceivable } from "./receivable.ts";
import type { SecondOpinion } from "./second-opinion.ts";
import { type InvoiceCredits, showUses, type Uses } from "./spendable.ts";
import {
  deleteInvoiceTaxes,
  type InvoiceRow,
  insertInvoiceTaxes,
  takeCustomerNumber,
  takeOrganizationNumber,
  updateInvoice,
} from "./store.ts";

export type InvoiceDeps = {
  db: Database;
  clock: Clock;
  events: EventStore;
  engine: Engine;
  credits: InvoiceCredits;
  documents: DocumentHooks;
  secondOpinion: SecondOpinion;
};
export type InvoiceWorkDeps = InvoiceDeps & { registry: DueRegistry };

/** A draft has the instant of its automatic finalization; a finalized invoice has the instant since when it is final. */
export type NewStatus =
  | { status: "draft"; finalizesAt: Temporal.Instant }
  | { status: "finalized"; finalizedAt: Temporal.Instant };

export type Computed = {
  /** The invoice before the change. */
  invoice: InvoiceRow;
  payer: Payer;
  computed: Pick<ReturnType<typeof computeInvoice>, "figures" | "taxesRate" | "paymentStatus"> &
    Partial<Uses> & {
      taxLines: readonly { tax: Tax; baseMinor: Minor; amountMinor: Minor }[];
      derivation: object;
    };
  fees: readonly NewFee[];
  taxRows: TaxRows;
  currency: string;
  madeFrom: object;
  timeZone: string;
  dates: InvoiceDates;
  newStatus: NewStatus;
  /** null: publishes nothing. */
  webhookType: string | null;
};

export async function saveInvoice(batch: Batch, deps: InvoiceWorkDeps, made: Computed): Promise<InvoiceRow> {
  const { invoice, payer, computed, newStatus } = made;
  const { organization_id: organizationId, id } = invoice;
  demandLimits(made.fees, computed.figures);
  if (invoice.status === "draft") await deleteFeesOfInvoice(batch.tx, organizationId, id);
  await saveFees(batch, organizationId, made.fees, { createdAt: invoice.created_at, now: deps.clock.now() });
  await saveTaxes(batch, made);
  await spend(batch, deps, made);
  await scheduleNext(batch, deps.registry, made);
  const columns = {
    ...toColumns(made),
    status: newStatus.status,
    updated_at: deps.clock.now(),
    ...(newStatus.status === "finalized"
      ? { finalized_at: newStatus.finalizedAt, ...(await bill(batch, deps, made, newStatus.finalizedAt)) }
      : {}),
  };
  const row = await updateInvoice(batch.tx, organizationId, id, { ...columns, payment_status: computed.paymentStatus });
  if (made.webhookType !== null) await tell(batch, row, made.webhookType, deps.clock);
  if (newStatus.status === "finalized") {
    const { customer_id: customerId } = row;
    await deps.documents.issue(batch, organizationId, {
      subject: { invoiceId: id },
      customerId,
      at: deps.clock.now(),
    });
    await deps.credits.onFinalized(batch, row);
    if (payer.customer.deleted_at !== null)
      await askToEndCustomer(batch, deps.registry, payer.customer, { subjectId: id, at: newStatus.finalizedAt });
  }
  return row;
}

/** Takes the number last, because it blocks the next number of the series until the transaction ends. */
async function bill(batch: Batch, { clock }: InvoiceWorkDeps, made: Computed, at: Temporal.Instant) {
  const { invoice, payer, computed, currency } = made;
  const isPaid = computed.paymentStatus === "succeeded";
  const billed = { ...invoice, currency, ...computed.figures, isPaid };
  const paid = await billReceivable(batch, billed, { at, now: clock.now() });
  return { has_receivable: true, paid_amount_cents: paid, ...(await takeNumber(batch, payer, at)) };
}

type Owing = Pick<NewFee, "amount_cents" | "taxes_amount_cents">;

/** Before anything is written: an invoice above the limits is refused as a whole. Without figures: of fees that are on no invoice. */
export function demandLimits(fees: readonly Owing[], figures?: Computed["computed"]["figures"]): void {
  const amounts = fees.map((fee) => ({
    amountMinor: minor(BigInt(fee.amount_cents)),
    taxesMinor: minor(BigInt(fee.taxes_amount_cents)),
  }));
  const checked = checkLimits({ fees: amounts, ...(figures ? { figures } : {}) });
  if (!checked.ok) throw new CannotBill(explainLimit(checked.error));
}

/** Spends the credits that core used, and shows them on the invoice. */
async function spend(
  batch: Batch,
  { credits }: InvoiceWorkDeps,
  { invoice, currency, computed, newStatus: balances }: Computed,
): Promise<void> {
  if (balances.status !== "finalized") return;
  const { organization_id: organizationId, id: invoiceId, invoice_type: invoiceType } = invoice;
  const { customer_id: customerId, created_at: createdAt } = invoice;
  const { couponUses = [], creditNoteUses = [], walletUses = [] } = computed;
  const uses = { couponUses, creditNoteUses, walletUses };
  const spending = { invoiceId, invoiceType, customerId, currency, at: balances.finalizedAt, uses };
  for (const { use } of credits.sources) await use(batch, organizationId, spending);
  const shown = await showUses(batch.tx, credits, organizationId, uses);
  await insertInvoiceCredits(batch.tx, organizationId, { invoiceId, createdAt }, shown);
}

function toColumns({ computed, payer, currency, madeFrom, timeZone, dates }: Computed) {
  const { figures, taxesRate, derivation } = computed;
  return {
    currency,
    time_zone: timeZone,
    issuing_date: dates.issuingDate,
    payment_due_date: dates.paymentDueDate,
    net_payment_term: payer.netPaymentTermDays,
    fees_amount_cents: figures.feesMinor,
    coupons_amount_cents: figures.couponsMinor,
    taxes_amount_cents: figures.taxesMinor,
    credit_notes_amount_cents: figures.creditNotesMinor,
    prepaid_credit_amount_cents: figures.prepaidMinor,
    total_amount_cents: figures.totalMinor,
    taxes_rate: taxesRate,
    made_from: JSON.stringify(madeFrom),
    derivation: JSON.stringify(derivation),
  };
}

async function saveTaxes(batch: Batch, { invoice, computed, taxRows }: Computed): Promise<void> {
  const { organization_id: organizationId, id } = invoice;
  const taxes = computed.taxLines.map((line) => {
    const { taxId, code, name, description, rate, amountMinor } = toTaxOf(line, taxRows);
    return {
      invoice_id: id,
      tax_id: taxId,
      tax_code: code,
      tax_name: name,
      tax_description: description,
      tax_rate: rate,
      fees_amount_cents: line.baseMinor,
      amount_cents: amountMinor,
      created_at: invoice.created_at,
    };
  });
  if (invoice.status === "draft") await deleteInvoiceTaxes(batch.tx, organizationId, id);
  await insertInvoiceTaxes(batch, organizationId, taxes);
}

/** Schedules the only next step: finalization, or overdue if it must be paid. */
async function scheduleNext(batch: Batch, registry: DueRegistry, made: Computed): Promise<void> {
  const { invoice, payer, computed, newStatus, dates, timeZone } = made;
  const { organization_id: organizationId, id: subjectId } = invoice;
  const customer = { id: payer.customer.id, testClockId: payer.customer.test_clock_id };
  const isOwed = computed.paymentStatus === "pending";
  const overdue = isOwed ? [{ kind: OVERDUE_DUE, dueAt: overdueAt(dates.paymentDueDate, timeZone) }] : [];
  const dues = newStatus.status === "draft" ? [await finalization(batch, organizationId, payer, newStatus)] : overdue;
  await rescheduleDues(batch, registry, organizationId, { subjectId, customer, dues });
}

async function finalization(
  batch: Batch,
  organizationId: string,
  { customer }: Payer,
  { finalizesAt: dueAt }: Extract<NewStatus, { status: "draft" }>,
) {
  const readyAt = await readyUnlessPaused(batch, organizationId, customer.test_clock_id, dueAt);
  return { kind: FINALIZATION_DUE, dueAt, readyAt };
}

async function takeNumber(batch: Batch, { customer, organization }: Payer, finalizedAt: Temporal.Instant) {
  const { document_number_prefix: prefix, timezone: timeZone, id: organizationId } = organization;
  const sequentialId = await takeCustomerNumber(batch, organizationId, customer.id);
  if (organization.document_numbering === "per_customer") {
    const numbering = { type: "per_customer", customerNumber: customer.sequential_id, number: sequentialId } as const;
    return { sequential_id: sequentialId, number: invoiceNumber(prefix, numbering) };
  }
  const number = await takeOrganizationNumber(batch, organizationId, undefined);
  return {
    sequential_id: sequentialId,
    organization_sequential_id: number,
    number: invoiceNumber(prefix, { type: "per_organization", finalizedAt, timeZone, number }),
  };
}

/** These happen to an invoice once. */
const ONCE = [
  "invoice.drafted",
  "invoice.created",
  "invoice.one_off_created",
  "invoice.paid_credit_added",
  "invoice.voided",
];

/** Messages use real time, also for a customer on a test clock. */
export async function tell(batch: Batch, row: InvoiceRow, webhookType: string, clock: Clock): Promise<void> {
  const object = await describeInvoice(batch, row.organization_id, row);
  const change = { webhookType, objectType: "invoice", objectId: row.id, object, once: ONCE.includes(webhookType) };
  await publish(batch, row.organization_id, change, clock.now());
}
