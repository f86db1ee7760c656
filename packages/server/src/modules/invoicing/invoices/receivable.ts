/** The receivable of an invoice. Core decides each movement, which is posted together with the row that shows it. */
import {
  amountDue,
  billedEntries,
  type CreditableInvoice,
  disputedEntries,
  type Movement,
  markPaid,
  movedEntries,
  type OwedInvoice,
  receivePayment,
  reversePayment,
  voidedEntries,
} from "@tallystick/core/invoicing";
import { type Minor, minor } from "@tallystick/core/money";
import { alone, type Batch } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { type Debt, type Posting, postEntries, postPayment, reversePayments } from "../../ledger/index.ts";
import { type InvoiceRow, lockUnopenedInvoices, updateInvoice } from "./store.ts";

/** `now` is the real time; `at` is the same moment on the customer's clock. */
export type When = { at: Temporal.Instant; now: Temporal.Instant };

/** The input of core for the amount due. */
export const owedOf = (row: InvoiceRow): OwedInvoice => ({
  status: row.status,
  totalMinor: minor(row.total_amount_cents),
  paidMinor: paidOf(row),
  writtenOffMinor: minor(row.written_off_amount_cents),
  isDisputeLost: row.payment_dispute_lost_at !== null,
});

/** For an invoice of an earlier release, the status tells until its receivable is opened. */
function paidOf(row: InvoiceRow): Minor {
  if (row.has_receivable) return minor(row.paid_amount_cents);
  const isPaid = row.status === "finalized" && row.payment_status === "succeeded";
  return minor(isPaid ? row.total_amount_cents - row.written_off_amount_cents : 0n);
}

type Owing = Pick<InvoiceRow, "organization_id" | "id" | "customer_id" | "currency">;

const debtOf = ({ id, customer_id, currency }: Owing, { at, now }: When): Debt => ({
  ownerId: id,
  customerId: customer_id,
  currency: currency ?? "",
  occurredAt: at,
  now,
});

type Finalized = Owing & {
  subTotalIncludingTaxesMinor: Minor;
  totalMinor: Minor;
  /** True for fees that were paid separately: their payments count for the invoice. */
  isPaid: boolean;
};

/** Runs in the transaction that finalizes it. Returns the amount paid. */
export async function billReceivable(batch: Batch, invoice: Finalized, when: When): Promise<bigint> {
  const { organization_id: organizationId, totalMinor } = invoice;
  const debt = debtOf(invoice, when);
  const source = { kind: "invoice", id: invoice.id };
  await postEntries(batch, organizationId, [{ ...debt, source, entries: billedEntries(invoice) }]);
  if (!invoice.isPaid || totalMinor === 0n) return 0n;
  const owed = {
    status: "finalized",
    totalMinor,
    paidMinor: NOTHING,
    writtenOffMinor: NOTHING,
    isDisputeLost: false,
  } as const;
  await postPayment(batch, organizationId, debt, receivePayment(owed, totalMinor).entries);
  return totalMinor;
}

const NOTHING = minor(0n);

/** The columns that a manual payment status changes. The invoice is locked. */
export async function movePayment(tx: Tx, row: InvoiceRow, status: string, when: When) {
  await openIfNeeded(alone(tx), row, when.now);
  const [owed, debt, organizationId] = [owedOf(row), debtOf(row, when), row.organization_id];
  if (status === "succeeded") {
    const paid = markPaid(owed);
    if (paid.entries.length > 0) await postPayment(alone(tx), organizationId, debt, paid.entries);
    return columnsOf(paid);
  }
  let left = owed;
  await reversePayments(alone(tx), organizationId, debt, (amountCents) => {
    const reversed = reversePayment(left, minor(amountCents));
    left = { ...left, ...reversed };
    return reversed.entries;
  });
  return columnsOf(left);
}

const columnsOf = ({ paidMinor, writtenOffMinor }: Pick<Movement, "paidMinor" | "writtenOffMinor">) => ({
  paid_amount_cents: paidMinor,
  written_off_amount_cents: writtenOffMinor,
});

/** Posts what happens to an invoice once, or by its own document. The invoice is locked. */
export async function moveOnce(
  batch: Batch,
  row: InvoiceRow,
  { source, entries }: Pick<Posting, "source" | "entries">,
  when: When,
): Promise<void> {
  await openIfNeeded(batch, row, when.now);
  await postEntries(batch, row.organization_id, [{ ...debtOf(row, when), source, entries }]);
}

export const moveVoid = (batch: Batch, row: InvoiceRow, when: When): Promise<void> =>
  moveOnce(batch, row, { source: { kind: "invoice_void", id: row.id }, entries: voidedEntries(figuresOf(row)) }, when);

export const moveDispute = (tx: Tx, row: InvoiceRow, when: When): Promise<void> =>
  moveOnce(alone(tx), row, { source: { kind: "dispute", id: row.id }, entries: disputedEntries(owedOf(row)) }, when);

/** The figures of an invoice as core computed them. */
export function figuresOf(row: InvoiceRow): CreditableInvoice["figures"] {
  const excluding = row.fees_amount_cents - row.coupons_amount_cents;
  return {
    feesMinor: minor(row.fees_amount_cents),
    couponsMinor: minor(row.coupons_amount_cents),
    subTotalExcludingTaxesMinor: minor(excluding),
    taxesMinor: minor(row.taxes_amount_cents),
    subTotalIncludingTaxesMinor: minor(excluding + row.taxes_amount_cents),
    creditNotesMinor: minor(row.credit_notes_amount_cents),
    prepaidMinor: minor(row.prepaid_credit_amount_cents),
    totalMinor: minor(row.total_amount_cents),
  };
}

async function openIfNeeded(batch: Batch, row: InvoiceRow, now: Temporal.Instant): Promise<void> {
  if (!row.has_receivable) await openReceivable(batch, row, now);
}

/** Posts the current state of an invoice that an earlier release finalized. It is locked. */
async function openReceivable(batch: Batch, row: InvoiceRow, now: Temporal.Instant): Promise<void> {
  const { organization_id: organizationId, id, status } = row;
  const [finalizedAt, changedAt] = [row.finalized_at ?? row.created_at, row.updated_at];
  const [billed, changed] = [debtOf(row, { at: finalizedAt, now }), debtOf(row, { at: changedAt, now })];
  const owed = owedOf(row);
  await postEntries(batch, organizationId, [
    { ...billed, source: { kind: "invoice", id }, entries: billedEntries(figuresOf(row)) },
    ...(status === "voided"
      ? [{ ...changed, source: { kind: "invoice_void", id }, entries: voidedEntries(figuresOf(row)) }]
      : []),
    ...(owed.writtenOffMinor > 0n
      ? [
          {
            ...changed,
            source: { kind: "write_off", id },
            entries: movedEntries("receivable", "written_off", owed.writtenOffMinor),
          },
        ]
      : []),
  ]);
  if (owed.paidMinor > 0n)
    await postPayment(batch, organizationId, changed, movedEntries("receivable", "paid", owed.paidMinor));
  if (owed.isDisputeLost && amountDue(owed) > 0n)
    await postEntries(batch, organizationId, [
      { ...changed, source: { kind: "dispute", id }, entries: disputedEntries(owed) },
    ]);
  await updateInvoice(batch.tx, organizationId, id, { has_receivable: true, paid_amount_cents: owed.paidMinor });
}

/** Returns how many there were. */
export async function openNextInvoices(tx: Tx, organizationId: string, limit: number, now: Temporal.Instant) {
  const rows = await lockUnopenedInvoices(tx, organizationId, limit);
  for (const row of rows) await openReceivable(alone(tx), row, now);
  return rows.length;
}
