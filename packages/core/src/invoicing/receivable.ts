/** What is owed of an invoice, or of a fee that stands alone. Every movement is a set of entries on its accounts that come to 0. */
import { fail, ok, type Result } from "../catalog/index.ts";
import { leastMinor, type Minor, minor } from "../money/index.ts";
import type { InvoiceFigures } from "./invoice-figures.ts";

/** `receivable`, and `disputed` after a lost dispute, hold what is owed; the others say where it came from and where it went. */
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
  /** All that came in, also what is more than the total. */
  readonly paidMinor: Minor;
  readonly writtenOffMinor: Minor;
  readonly isDisputeLost: boolean;
};

/** A movement, and what it leaves paid and written off. */
export type Movement = Pick<OwedInvoice, "paidMinor" | "writtenOffMinor"> & { readonly entries: readonly Entry[] };

const NOTHING = minor(0n);

/** Total less what is paid and written off. Credit notes on the invoice change nothing. */
export function amountDue({ status, totalMinor, paidMinor, writtenOffMinor }: OwedInvoice): Minor {
  const due = totalMinor - paidMinor - writtenOffMinor;
  return status === "finalized" && due > 0n ? minor(due) : NOTHING;
}

type Billed = Pick<InvoiceFigures, "subTotalIncludingTaxesMinor" | "totalMinor">;

/** When an invoice is finalized: credit notes and prepaid credits have paid for a part already. */
export const billedEntries = ({ subTotalIncludingTaxesMinor, totalMinor }: Billed): readonly Entry[] =>
  entriesOf({
    billed: -subTotalIncludingTaxesMinor,
    receivable: totalMinor,
    prepaid: subTotalIncludingTaxesMinor - totalMinor,
  });

/** A voided invoice asks for nothing, and what it used is given back. */
export const voidedEntries = ({ subTotalIncludingTaxesMinor, totalMinor }: Billed): readonly Entry[] =>
  entriesOf({
    receivable: -totalMinor,
    prepaid: totalMinor - subTotalIncludingTaxesMinor,
    voided: subTotalIncludingTaxesMinor,
  });

/** What is due stays due, but sends no more reminders. */
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

/** A payment that bounced: what it settled is due again, after what was overpaid. */
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
 * An invoice marked as paid by hand: the rest was paid. One that was written off as a whole was paid after all, so the write-off is
 * taken back.
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

/** How much is written off: all that is due unless a part is asked for. Refused with the code of the API. */
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

/** What a new payment status says about a fee that stands alone: one that is refunded was paid before. */
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

/** From one account to another; nothing moves nothing. */
export const movedEntries = (from: ReceivableAccount, to: ReceivableAccount, amountMinor: Minor): readonly Entry[] =>
  entriesOf({ [from]: -amountMinor, [to]: amountMinor });

const owedAccount = ({ isDisputeLost }: OwedInvoice) => (isDisputeLost ? "disputed" : "receivable");

const entriesOf = (amounts: Partial<Record<ReceivableAccount, bigint>>): readonly Entry[] =>
  Object.entries(amounts)
    .filter(([, amount]) => amount !== 0n)
    .map(([account, amount]) => ({ account: account as ReceivableAccount, amountMinor: minor(amount) }));
