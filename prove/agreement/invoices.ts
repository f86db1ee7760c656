/** Subscription fees, invoices with every combination of coupons, taxes, credit notes and wallets, and the notes on them. */

import {
  type CreditableInvoice,
  type CreditNote,
  computeCreditNote,
  computeInvoice,
  creditForUnused,
} from "@tallystick/core/invoicing";
import { type Currency, decimal, Fraction, minor } from "@tallystick/core/money";
import { subscriptionFee } from "@tallystick/core/subscription";
import type { InvoiceCoupon } from "@tallystick/second-opinion/credit-rules";
import type { InvoiceCase, InvoiceResult } from "@tallystick/second-opinion/invoice";
import { ZERO } from "@tallystick/second-opinion/rational";
import type { SubscriptionFeeCase } from "@tallystick/second-opinion/subscription";
import { cases } from "../oracle/cases.ts";
import type { CreditNoteCase } from "../oracle/credit-note.ts";
import { oracleCreditNote, oracleCustomer, oracleInvoice, oracleSubscriptionFee } from "../oracle/index.ts";
import { type Comparison, comparison, currencyWith } from "./comparison.ts";
import { customerByCore } from "./customer-by-core.ts";
import { figuresOf, noteFiguresOf, usesOf } from "./invoice-figures.ts";
import { centsOf, idOf, inputOf, taxOf } from "./invoice-input.ts";

const COUPONS: Readonly<Record<string, (coupon: InvoiceCoupon) => boolean>> = {
  "no coupons": () => false,
  "fixed coupons": ({ kind }) => kind === "fixed",
  "percentage coupons": ({ kind }) => kind === "percentage",
  "coupons with limits": ({ planCodes, metricCodes }) => planCodes !== null || metricCodes !== null,
  "all coupons": () => true,
};

export const INVOICE_COMPARISONS: readonly Comparison[] = [
  comparison("subscription fee", cases.subscriptionFee, subscriptionFeeByCore, oracleSubscriptionFee),
  ...Object.entries(COUPONS).flatMap(([name, isChosen]) => {
    const chosen = cases.invoice.map((given) => ({ ...given, coupons: given.coupons.filter(isChosen) }));
    const untaxed = chosen.map((given) => ({ ...given, fees: given.fees.map((fee) => ({ ...fee, taxes: [] })) }));
    return [
      comparison(`invoice with ${name} and taxes`, chosen, invoiceByCore, (given) => oracleInvoice(given)),
      comparison(`invoice with ${name}, no taxes`, untaxed, invoiceByCore, (given) => oracleInvoice(given)),
    ];
  }),
  comparison("credit notes in turn", cases.creditNotes, notesByCore, ({ notes }) => notes.map(noteByOracle)),
  comparison("credit note of a termination", cases.unused, unusedByCore, ({ note }) => noteByOracle(note)),
  comparison("whole invoice with all credits", cases.wholeInvoice, customerByCore, (given) => oracleCustomer(given)),
  comparison("invoices of a customer in turn", cases.customerLife, customerByCore, (given) => oracleCustomer(given)),
];

function subscriptionFeeByCore({ cents, days, periodDays }: SubscriptionFeeCase): bigint {
  const firstDay = Temporal.PlainDate.from("2024-01-01");
  const window = { firstDay, lastDay: firstDay.add({ days: days - 1 }), freeDays: 0, periodDays };
  return subscriptionFee(minor(BigInt(cents)), window as Parameters<typeof subscriptionFee>[1]).amountMinor;
}

/** The invoice, and what it uses of each coupon, note and wallet. */
function invoiceByCore(given: InvoiceCase): InvoiceResult {
  const invoice = computeInvoice(inputOf(given));
  const { coupons, notes, wallets, credits } = usesOf(invoice, given.coupons, given.creditNotes, given.wallets);
  const orNothing = (amount: bigint | undefined): bigint => amount ?? 0n;
  return {
    ...figuresOf(invoice),
    couponUse: coupons.map(orNothing),
    creditNoteUse: notes.map(orNothing),
    walletUse: wallets.map(orNothing),
    walletCredits: credits.map((amount) => amount ?? ZERO),
  };
}

/** The notes of an invoice one after the other, each knowing what core made of those before it. */
function notesByCore({ invoice, notes }: { invoice: InvoiceCase; notes: CreditNoteCase[] }) {
  const issued = computeInvoice(inputOf(invoice));
  const earlierNotes: CreditNote[] = [];
  return notes.map((note) => {
    const creditable: CreditableInvoice = {
      ...creditedInvoice(issued, note, currencyWith(invoice.digits)),
      earlierNotes,
    };
    const items = note.items.map(({ fee, cents }) => ({ feeId: idOf(fee), amountMinor: centsOf(cents) }));
    const creditMinor = minor(oracleCreditNote(note).total);
    const made = computeCreditNote(creditable, { items, creditMinor, refundMinor: minor(0n) });
    if (!made.ok) throw new Error(`refused: ${JSON.stringify(made.error)}`);
    earlierNotes.push(made.value);
    return noteFiguresOf(made.value);
  });
}

function unusedByCore({ invoice, note }: { invoice: InvoiceCase; note: CreditNoteCase }) {
  const [item] = note.items;
  const credited = creditedInvoice(computeInvoice(inputOf(invoice)), note, currencyWith(invoice.digits));
  const made = creditForUnused(credited, [{ feeId: idOf(item?.fee ?? 0), amount: decimal(item?.cents ?? "0") }]);
  return made === null ? null : noteFiguresOf(made);
}

function creditedInvoice(
  { figures, taxLines }: ReturnType<typeof computeInvoice>,
  { fees }: CreditNoteCase,
  currency: Currency,
): CreditableInvoice {
  return {
    status: "finalized",
    isPaid: false,
    writtenOffMinor: minor(0n),
    source: { type: "subscription" },
    currency,
    figures,
    taxLines,
    earlierNotes: [],
    fees: fees.map(({ cents, coupon, taxes, credited }, index) => ({
      id: idOf(index),
      label: "fee",
      amountMinor: centsOf(cents),
      couponShare: new Fraction(BigInt(coupon.n), BigInt(coupon.d)),
      taxes: taxes.map(taxOf),
      creditedMinor: centsOf(credited),
    })),
  };
}

/** A note that comes to nothing is not made, whatever its parts are. */
function noteByOracle(given: CreditNoteCase) {
  const { expected, ...note } = oracleCreditNote(given);
  return note.total === 0n ? null : note;
}
