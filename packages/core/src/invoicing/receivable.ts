/** The receivable of an invoice or of a standalone fee. Every movement is a set of entries on its accounts that sum to 0. */
import { fail, ok, type Result } from "../catalog/index.ts";
import { leastMinor, type Minor, minor } from "../money/index.ts";
import type { InvoiceFigures } from "./invoice-figures.ts";

/** `receivable`, and `disputed` after a lost dispute, contain what is owed. The others say where it came from and where it went. */
export type ReceivableAccount =
  | "billed"
  | "receivable"
  | "disputed"
  | "prepaid"
  | "paid"
  | "overpaid"
  | "written_off"
  | "voided"
  | "regrouped";

export type Entry = { readonly account: ReceivableAccount; readonly amountMinor: Minor };

export type OwedInvoice = {
  readonly status: "generating" | "draft" | "finalized" | "voided";
  readonly totalMinor: Minor;
  /** All payments, including what exceeds the total. */
  readonly paidMinor: Minor;
  readonly writtenOffMinor: Minor;
  readonly isDisputeLost: boolean;
};

/** A movement, and the paid and written-off amounts after it. */
export type Movement = Pick<OwedInvoice, "paidMinor" | "writtenOffMinor"> & { readonly entries: readonly Entry[] };

const NOTHING = minor(0n);

/** The total less the paid and written-off amounts. Credit notes on the invoice change nothing. */
export function amountDue({ status, totalMinor, paidMinor, writtenOffMinor }: OwedInvoice): Minor {
  const due = totalMinor - paidMinor - writtenOffMinor;
  return status === "finalized" && due > 0n ? minor(due) : NOTHING;
}

type Billed = Pick<InvoiceFigures, "subTotalIncludingTaxesMinor" | "totalMinor">;

/** At finalization: credit notes and prepaid credits have already paid a part. */
export const billedEntries = ({ subTotalIncludingTaxesMinor, totalMinor }: Billed): readonly Entry[] =>
  entriesOf({
    billed: -subTotalIncludingTaxesMinor,
    receivable: totalMinor,
    prepaid: subTotalIncludingTaxesMinor - totalMinor,
  });

/** A voided invoice is not owed, and gives back what it used. */
export const voidedEntries = ({ subTotalIncludingTaxesMinor, totalMinor }: Billed): readonly Entry[] =>
  entriesOf({
    receivable: -totalMinor,
    prepaid: totalMinor - subTotalIncludingTaxesMinor,
    voided: subTotalIncludingTaxesMinor,
  });

/** The due amount stays due, but without reminders. */
export const disputedEntries = (invoice: OwedInvoice): readonly Entry[] =>
  movedEntries("receivable", "disputed", amountDue(invoice));

/** 120.00 on an invoice of 100.00: it is paid, and 20.00 are overpaid. */
export function receivePayment(invoice: OwedInvoice, amountMinor: Minor): Movement {
  const settledMinor = leastMinor(amountMinor, amountDue(invoice));
  return {
    paidMinor: minor(invoice.paidMinor + amountMinor),
    writtenOffMinor: invoice.writtenOffMinor,
    entries: entriesOf({
      [owedAccount(invoice)]: -settledMinor,
      overpaid: settledMinor - amountMinor,
      paid: amountMinor,
    }),
  };
}

/** A bounced payment: overpayment is reduced first, and the rest is due again. */
export function reversePayment(invoice: OwedInvoice, amountMinor: Minor): Movement {
  if (amountMinor > invoice.paidMinor) throw new RangeError("More is reversed than was paid.");
  const excess = invoice.paidMinor + invoice.writtenOffMinor - invoice.totalMinor;
  const overpaidMinor = leastMinor(amountMinor, minor(excess > 0n ? excess : 0n));
  return {
    paidMinor: minor(invoice.paidMinor - amountMinor),
    writtenOffMinor: invoice.writtenOffMinor,
    entries: entriesOf({
      [owedAccount(invoice)]: amountMinor - overpaidMinor,
      overpaid: overpaidMinor,
      paid: -amountMinor,
    }),
  };
}

/**
 * An invoice marked as paid by hand: the rest was paid. If it was written off completely, it was paid after all, so the write-off is
 * reversed.
 */
export function markPaid(invoice: OwedInvoice): Movement {
  const { paidMinor, writtenOffMinor } = invoice;
  const isRecovered = amountDue(invoice) === 0n && paidMinor === 0n && writtenOffMinor > 0n;
  if (!isRecovered) return receivePayment(invoice, amountDue(invoice));
  return {
    paidMinor: writtenOffMinor,
    writtenOffMinor: NOTHING,
    entries: movedEntries("written_off", "paid", writtenOffMinor),
  };
}

/** The amount to write off: everything due unless the request names a part. Refused with an API code. */
export function writeOff(
  invoice: OwedInvoice,
  requestedMinor: Minor | null,
): Result<Movement & { readonly amountMinor: Minor }, "not_due" | "higher_than_due_amount"> {
  const dueMinor = amountDue(invoice);
  if (dueMinor === 0n) return fail("not_due");
  if (requestedMinor !== null && requestedMinor > dueMinor) return fail("higher_than_due_amount");
  const amountMinor = requestedMinor ?? dueMinor;
  return ok({
    amountMinor,
    paidMinor: invoice.paidMinor,
    writtenOffMinor: minor(invoice.writtenOffMinor + amountMinor),
    entries: movedEntries(owedAccount(invoice), "written_off", amountMinor),
  });
}

export type FeePaymentStatus = "pending" | "succeeded" | "failed" | "refunded";

/** What a new payment status means for a standalone fee: a refunded fee was paid before. */
export function feeMovements(
  before: FeePaymentStatus,
  after: FeePaymentStatus,
): readonly ("payment" | "payment_reversal" | "refund" | "refund_reversal")[] {
  const [wasPaid, isPaid] = [isPaidStatus(before), isPaidStatus(after)];
  return [
    ...(before === "refunded" && after !== "refunded" ? (["refund_reversal"] as const) : []),
    ...(wasPaid && !isPaid ? (["payment_reversal"] as const) : []),
    ...(!wasPaid && isPaid ? (["payment"] as const) : []),
    ...(before !== "refunded" && after === "refunded" ? (["refund"] as const) : []),
  ];
}

const isPaidStatus = (status: FeePaymentStatus): boolean => status === "succeeded" || status === "refunded";

/** From one account to another; an amount of 0 makes no entries. */
export const movedEntries = (from: ReceivableAccount, to: ReceivableAccount, amountMinor: Minor): readonly Entry[] =>
  entriesOf({ [from]: -amountMinor, [to]: amountMinor });

const owedAccount = ({ isDisputeLost }: OwedInvoice) => (isDisputeLost ? "disputed" : "receivable");

const entriesOf = (amounts: Partial<Record<ReceivableAccount, bigint>>): readonly Entry[] =>
  Object.entries(amounts)
    .filter(([, amount]) => amount !== 0n)
    .map(([account, amount]) => ({ account: account as ReceivableAccount, amountMinor: minor(amount) }));
