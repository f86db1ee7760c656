/** Credit notes on the invoices of a customer, as core makes or refuses them. */
import {
  type CreditableInvoice,
  type CreditNote,
  type CreditNoteRefusal,
  computeCreditNote,
  creditForUnused,
  estimateCreditNote,
  refundForPurchase,
} from "@tallystick/core/invoicing";
import { type Fraction, fraction, type Minor, minor, roundTo, sumDecimals, truncateTo } from "@tallystick/core/money";
import { named, requestedOf, requestFor, type Step } from "../oracle/customer-case.ts";
import { type Account, type AccountInvoice, isOver } from "./account.ts";
import { leftOf, takeBack } from "./account-lots.ts";
import { noteFiguresOf } from "./invoice-figures.ts";
import { idOf } from "./invoice-input.ts";

const STORED_DECIMALS = 5;

/** As it is read back from the database: shares of coupons have 5 decimals there. */
function creditableOf(
  account: Account,
  { id: invoiceId, computed, fees, notes, fills, status, isPaid, type, writtenOffMinor }: AccountInvoice,
): CreditableInvoice {
  const items = notes.flatMap(({ note }) => note.items);
  const place = account.invoices.findIndex(({ id }) => id === invoiceId);
  const lotMinor = fills === null || isOver(account, fills) ? minor(0n) : leftOf(fills, place);
  return {
    currency: account.currency,
    status,
    isPaid,
    writtenOffMinor,
    source: type === "credit" ? { type, lotMinor } : { type },
    figures: computed.figures,
    taxLines: computed.taxLines,
    earlierNotes: notes.map(({ note }) => note),
    fees: computed.fees.map(({ id, amountMinor, couponShare, taxes }, index) => ({
      id,
      label: fees[index]?.label ?? "",
      amountMinor,
      couponShare: fraction(roundTo(couponShare, STORED_DECIMALS)),
      taxes: taxes.map(({ tax }) => tax),
      creditedMinor: minor(items.filter(({ feeId }) => feeId === id).reduce((sum, item) => sum + item.amountMinor, 0n)),
    })),
  };
}

export function creditPartsByCore(account: Account, step: Step & { do: "credit" }): unknown {
  const invoice = named(account.invoices, step.invoice)?.item;
  if (invoice === undefined || invoice.fees.length === 0) return null;
  const creditable = creditableOf(account, invoice);
  const left = creditable.fees.map(({ amountMinor, creditedMinor }) => amountMinor - creditedMinor);
  const items = requestedOf(step.parts, left).map(({ fee, cents }) => ({
    feeId: idOf(fee),
    amountMinor: minor(cents),
  }));
  const estimated = estimateCreditNote(creditable, items);
  if (!estimated.ok) return refusalOf(estimated.error);
  const { totalMinor, maxCreditableMinor, maxRefundableMinor } = estimated.value;
  const estimate = { maxCreditable: maxCreditableMinor, maxRefundable: maxRefundableMinor };
  const request = requestFor(totalMinor, step);
  const made = computeCreditNote(creditable, {
    items,
    creditMinor: minor(request.credit),
    refundMinor: minor(request.refund),
  });
  if (!made.ok) return { estimate, faults: refusalOf(made.error) };
  if (invoice.fills) takeBack(invoice.fills, account.invoices.indexOf(invoice), made.value.refundMinor);
  return { estimate, note: keep(account, invoice, made.value) };
}

/** What was paid for a wallet that has ended. */
export function refundPurchaseByCore(account: Account, invoice: AccountInvoice, refundMinor: Minor): unknown {
  return keep(account, invoice, refundForPurchase(creditableOf(account, invoice), refundMinor));
}

function refusalOf(refusal: CreditNoteRefusal): unknown {
  if (refusal.type !== "invalid") return refusal.code;
  return Object.entries(refusal.faults)
    .flatMap(([field, codes]) => codes.map((code) => `${field}: ${code}`))
    .sort();
}

export function creditUnusedByCore(account: Account, step: Step & { do: "credit unused" }): unknown {
  const invoice = named(account.invoices, step.invoice)?.item;
  const fee = invoice && named(invoice.computed.fees, step.fee)?.item;
  if (!invoice || !fee || invoice.status !== "finalized" || invoice.type !== "subscription") return null;
  const items = invoice.notes.flatMap(({ note }) => note.items).filter(({ feeId }) => feeId === fee.id);
  const left: Fraction = fraction(fee.amountMinor).minus(sumDecimals(items.map(({ amount }) => amount)));
  if (!left.isAbove(0n)) return null;
  const amount = truncateTo(left.times(BigInt(step.millionths)).over(1_000_000n), STORED_DECIMALS);
  if (amount.eq("0")) return null;
  const note = creditForUnused(creditableOf(account, invoice), [{ feeId: fee.id, amount }]);
  return note === null ? null : keep(account, invoice, note);
}

function keep(account: Account, invoice: AccountInvoice, note: CreditNote) {
  const id = idOf(account.notes.length);
  account.notes.push({
    id,
    invoiceId: invoice.id,
    currency: account.currency,
    createdAt: account.now,
    balanceMinor: note.creditMinor,
    status: note.creditStatus,
  });
  invoice.notes.push({ id, note });
  return { ...noteFiguresOf(note), credit: note.creditMinor, refund: note.refundMinor };
}
