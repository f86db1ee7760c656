/** The receivables of standalone fees. */
import { type FeePaymentStatus, feeMovements, movedEntries } from "@tallystick/core/invoicing";
import { type Minor, minor } from "@tallystick/core/money";
import { alone, type Batch } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import {
  type Debt,
  type Posting,
  postEntries,
  postPayment,
  postRefund,
  reversePayments,
  reverseRefunds,
} from "../../ledger/index.ts";
import {
  type FeeRow,
  hideFee,
  insertFees,
  lockUnopenedFees,
  markOpenedFees,
  type NewFee,
  putOnInvoice,
  updatePayment,
} from "./store.ts";

/** `now` is the real time; `at` is the same moment on the customer's clock. */
type When = { at: Temporal.Instant; now: Temporal.Instant };

type Owed = Pick<FeeRow, "id" | "customer_id" | "currency" | "amount_cents" | "taxes_amount_cents">;

const debtOf = ({ id, customer_id, currency }: Owed, { at, now }: When): Debt => ({
  ownerId: id,
  customerId: customer_id,
  currency,
  occurredAt: at,
  now,
});

const amountOf = (fee: Owed): Minor => minor(BigInt(fee.amount_cents) + BigInt(fee.taxes_amount_cents));

/** Standalone fees have their own receivable; other fees belong to their invoice's. */
export async function saveFees(
  batch: Batch,
  organizationId: string,
  fees: readonly NewFee[],
  { createdAt, now }: { createdAt: Temporal.Instant; now: Temporal.Instant },
): Promise<void> {
  await insertFees(
    batch,
    organizationId,
    fees.map((fee) => ({ ...fee, createdAt })),
  );
  const alone = fees.filter(({ invoice_id }) => invoice_id === undefined || invoice_id === null);
  const billed = alone.map((fee) => billedOf(toOwed(fee), { at: createdAt, now }));
  if (billed.length > 0) await postEntries(batch, organizationId, billed);
}

const toOwed = ({ id, customer_id, currency, ...fee }: NewFee): Owed => ({
  id,
  customer_id,
  currency,
  amount_cents: BigInt(fee.amount_cents),
  taxes_amount_cents: BigInt(fee.taxes_amount_cents),
});

const billedOf = (fee: Owed, when: When): Posting => ({
  ...debtOf(fee, when),
  source: { kind: "fee", id: fee.id },
  entries: movedEntries("billed", "receivable", amountOf(fee)),
});

/** The fee is locked. */
export async function setPayment(tx: Tx, fee: FeeRow, status: FeePaymentStatus, { at, now }: When): Promise<FeeRow> {
  await openIfNeeded(alone(tx), fee, { at, now });
  await postMovements(alone(tx), fee, [fee.payment_status, status], { at, now });
  return updatePayment(tx, fee.organization_id, { id: fee.id, status, now: at });
}

async function postMovements(
  batch: Batch,
  fee: FeeRow,
  [before, after]: [FeePaymentStatus, FeePaymentStatus],
  when: When,
): Promise<void> {
  const [debt, organizationId, amount] = [debtOf(fee, when), fee.organization_id, amountOf(fee)];
  if (amount === 0n) return;
  for (const movement of feeMovements(before, after))
    switch (movement) {
      case "payment":
        await postPayment(batch, organizationId, debt, movedEntries("receivable", "paid", amount));
        break;
      case "payment_reversal":
        await reversePayments(batch, organizationId, debt, (paid) => movedEntries("paid", "receivable", minor(paid)));
        break;
      case "refund":
        await postRefund(batch, organizationId, debt, amount);
        break;
      case "refund_reversal":
        await reverseRefunds(batch, organizationId, debt);
        break;
    }
}

/** False if it was paid or is on an invoice: then it stays. The fee is locked. */
export async function removeAlone(batch: Batch, fee: FeeRow, when: When): Promise<boolean> {
  if (!(await hideFee(batch.tx, fee.organization_id, fee.id, when.now))) return false;
  await openIfNeeded(batch, fee, when);
  const entries = movedEntries("receivable", "voided", amountOf(fee));
  const source = { kind: "fee_deletion", id: fee.id };
  await postEntries(batch, fee.organization_id, [{ ...debtOf(fee, when), source, entries }]);
  return true;
}

/** Puts fees that were paid separately on one invoice, together with their payments. The fees are locked. */
export async function regroupOn(
  batch: Batch,
  organizationId: string,
  { invoiceId, fees }: { invoiceId: string; fees: readonly FeeRow[] },
  when: When,
): Promise<void> {
  for (const fee of fees) await openIfNeeded(batch, fee, when);
  const source = { kind: "regrouping", id: invoiceId };
  await postEntries(
    batch,
    organizationId,
    fees.map((fee) => ({ ...debtOf(fee, when), source, entries: movedEntries("paid", "regrouped", amountOf(fee)) })),
  );
  await putOnInvoice(batch.tx, organizationId, { invoiceId, feeIds: fees.map(({ id }) => id) });
}

async function openIfNeeded(batch: Batch, fee: FeeRow, when: When): Promise<void> {
  if (!fee.has_receivable) await openReceivables(batch, fee.organization_id, [fee], when.now);
}

/** Posts the current state of fees that an earlier release created. They are locked. */
async function openReceivables(
  batch: Batch,
  organizationId: string,
  fees: readonly FeeRow[],
  now: Temporal.Instant,
): Promise<void> {
  await postEntries(
    batch,
    organizationId,
    fees.map((fee) => billedOf(fee, { at: fee.created_at, now })),
  );
  for (const fee of fees) {
    const at = fee.succeeded_at ?? fee.refunded_at ?? fee.created_at;
    await postMovements(batch, fee, ["pending", fee.payment_status], { at, now });
  }
  await markOpenedFees(
    batch.tx,
    organizationId,
    fees.map(({ id }) => id),
  );
}

/** Returns how many there were. */
export async function openNextFees(tx: Tx, organizationId: string, limit: number, now: Temporal.Instant) {
  const fees = await lockUnopenedFees(tx, organizationId, limit);
  if (fees.length > 0) await openReceivables(alone(tx), organizationId, fees, now);
  return fees.length;
}
