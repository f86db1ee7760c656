/** Subscription fees, invoices with every combination of coupons, taxes, credit notes and wallets, and the notes on them. */

import {
  computeCreditNote,
  computeInvoice,
  creditForUnused,
  invoiceFiguresFrom,
  noteFiguresFrom,
} from "@tallystick/core/invoicing";
import { decimal, Fraction, minor } from "@tallystick/core/money";
import { subscriptionFee } from "@tallystick/core/subscription";
import { cases } from "../oracle/cases.ts";
import type { CreditNoteCase } from "../oracle/credit-note.ts";
import { oracleCreditNote, oracleInvoice, oracleSubscriptionFee } from "../oracle/index.ts";
import type { InvoiceCase, InvoiceCoupon } from "../oracle/invoice.ts";
import type { SubscriptionFeeCase } from "../oracle/subscription.ts";
import { type Comparison, comparison, currencyWith, rationalOf } from "./comparison.ts";

const COUPONS: Readonly<Record<string, (coupon: InvoiceCoupon) => boolean>> = {
  "no coupons": () => false,
  "fixed coupons": ({ kind }) => kind === "fixed",
  "percentage coupons": ({ kind }) => kind === "percentage",
  "coupons with limits": ({ planCodes, metricCodes }) => planCodes !== null || metricCodes !== null,
  "all coupons": () => true,
};

type CreditedInvoice = Parameters<typeof creditForUnused>[0];
type MadeNote = NonNullable<ReturnType<typeof creditForUnused>>;
type Note = { coupons: bigint; subTotal: bigint; taxes: bigint; total: bigint };

export const INVOICE_COMPARISONS: readonly Comparison[] = [
  comparison("subscription fee", cases.subscriptionFee, subscriptionFeeByCore, oracleSubscriptionFee),
  ...Object.entries(COUPONS).flatMap(([name, isChosen]) => {
    const chosen = cases.invoice.map((given) => ({ ...given, coupons: given.coupons.filter(isChosen) }));
    const untaxed = chosen.map((given) => ({ ...given, fees: given.fees.map((fee) => ({ ...fee, taxes: [] })) }));
    return [
      comparison(`invoice with ${name} and taxes`, chosen, invoiceByCore, invoiceByOracle),
      comparison(`invoice with ${name}, no taxes`, untaxed, invoiceByCore, invoiceByOracle),
    ];
  }),
  comparison("credit notes in turn", cases.creditNotes, notesByCore, ({ notes }) => notes.map(noteByOracle)),
  comparison("credit note of a termination", cases.unused, unusedByCore, ({ note }) => noteByOracle(note)),
];

function subscriptionFeeByCore({ cents, days, periodDays }: SubscriptionFeeCase): bigint {
  const firstDay = Temporal.PlainDate.from("2024-01-01");
  const window = { firstDay, lastDay: firstDay.add({ days: days - 1 }), freeDays: 0, periodDays };
  return subscriptionFee(minor(BigInt(cents)), window as Parameters<typeof subscriptionFee>[1]).amountMinor;
}

const instantOf = (number: number): Temporal.Instant => Temporal.Instant.fromEpochMilliseconds(number * 1000);

/** Of equal age or application time the earlier in the list comes first, so ids are in the order of the list. */
const idOf = (index: number): string => String(index).padStart(3, "0");

function inputOf({ digits, fees, coupons, creditNotes, wallets }: InvoiceCase) {
  const currency = currencyWith(digits);
  return {
    id: "invoice",
    form: { type: "subscription", status: "finalized" },
    currency,
    at: instantOf(1000),
    taxes: { customer: [], organization: [] },
    fees: fees.map(({ cents, planCode, metricCode, taxes }, index) => {
      const levels = taxes.map(({ code, rate }) => ({ code, name: code, rate: decimal(rate) }));
      return {
        id: idOf(index),
        label: "fee",
        amountMinor: minor(BigInt(cents)),
        item:
          metricCode === null
            ? { kind: "subscription", planCode, planTaxes: levels }
            : { kind: "charge", planCode, metricCode, chargeTaxes: levels, planTaxes: [] },
      };
    }),
    coupons: coupons.map((coupon, index) => ({
      id: idOf(index),
      code: "coupon",
      appliedAt: instantOf(coupon.appliedAt),
      state: { value: worthOf(coupon, currency), left: leftOf(coupon) },
      limit: limitOf(coupon),
    })),
    creditNotes: creditNotes.map(({ balance, at }, index) => ({
      id: idOf(index),
      number: "note",
      invoiceId: "another",
      currency,
      createdAt: instantOf(at),
      balanceMinor: minor(BigInt(balance)),
    })),
    wallets: wallets.map(({ balance, priority, at }, index) => ({
      id: idOf(index),
      priority,
      createdAt: instantOf(at),
      expiresAt: null,
      currency,
      rate: decimal("1"),
      balanceMinor: minor(BigInt(balance)),
    })),
  } as Parameters<typeof computeInvoice>[0];
}

const worthOf = ({ kind, cents, rate }: InvoiceCoupon, currency: string) =>
  kind === "fixed"
    ? { type: "fixed_amount", amountMinor: minor(BigInt(cents ?? "0")), currency }
    : { type: "percentage", rate: decimal(rate ?? "0") };

function leftOf({ kind, cents, frequency, remaining }: InvoiceCoupon) {
  if (frequency === "forever") return { type: "forever" };
  if (frequency === "recurring") return { type: "uses", count: remaining };
  return kind === "fixed" ? { type: "amount", amountMinor: minor(BigInt(cents ?? "0")) } : { type: "uses", count: 1 };
}

function limitOf({ planCodes, metricCodes }: InvoiceCoupon) {
  if (metricCodes !== null) return { type: "metrics", codes: metricCodes };
  return planCodes === null ? { type: "none" } : { type: "plans", codes: planCodes };
}

/** The invoice, and that its figures come back from the stored derivation. */
function invoiceByCore(given: InvoiceCase): ReturnType<typeof oracleInvoice> {
  const invoice = computeInvoice(inputOf(given));
  const { figures } = invoice;
  sameFigures(invoiceFiguresFrom(JSON.parse(JSON.stringify(invoice.derivation))), figures);
  const usedBy = <Use>(
    list: readonly unknown[],
    uses: readonly Use[],
    read: (use: Use) => [string, bigint],
  ): bigint[] => {
    const byId = new Map(uses.map(read));
    return list.map((_, index) => byId.get(idOf(index)) ?? 0n);
  };
  return {
    coupons: figures.couponsMinor,
    couponUse: usedBy(given.coupons, invoice.couponUses, ({ coupon, creditMinor }) => [coupon.id, creditMinor]),
    shares: invoice.fees.map(({ couponShare }) => rationalOf(couponShare)),
    feeTaxes: invoice.fees.map(({ taxesMinor }) => taxesMinor),
    taxLines: byCode(invoice.taxLines.map(({ tax, amountMinor }) => ({ code: tax.code, cents: amountMinor }))),
    taxes: figures.taxesMinor,
    creditNotes: figures.creditNotesMinor,
    creditNoteUse: usedBy(given.creditNotes, invoice.creditNoteUses, ({ note, amountMinor }) => [note.id, amountMinor]),
    prepaid: figures.prepaidMinor,
    walletUse: usedBy(given.wallets, invoice.walletUses, ({ wallet, amountMinor }) => [wallet.id, amountMinor]),
    total: figures.totalMinor,
    subTotalExcluding: figures.subTotalExcludingTaxesMinor,
    subTotalIncluding: figures.subTotalIncludingTaxesMinor,
  };
}

function invoiceByOracle(given: InvoiceCase): ReturnType<typeof oracleInvoice> {
  const invoice = oracleInvoice(given);
  return { ...invoice, taxLines: byCode(invoice.taxLines) };
}

const byCode = (lines: readonly { code: string; cents: bigint }[]) =>
  lines.toSorted((a, b) => (a.code < b.code ? -1 : 1));

/** The notes of an invoice one after the other, each knowing what core made of those before it. */
function notesByCore({ invoice, notes }: { invoice: InvoiceCase; notes: CreditNoteCase[] }): Note[] {
  const earlierNotes: CreditedInvoice["earlierNotes"][number][] = [];
  return notes.map((note) => {
    const items = note.items.map(({ fee, cents }) => ({ feeId: idOf(fee), amountMinor: minor(BigInt(cents)) }));
    const creditable = {
      ...creditedInvoice(invoice, note, earlierNotes),
      status: "finalized",
      isPaid: false,
      source: { type: "subscription" },
    };
    const creditMinor = minor(oracleCreditNote(note).total);
    const made = computeCreditNote(creditable as Parameters<typeof computeCreditNote>[0], {
      items,
      creditMinor,
      refundMinor: minor(0n),
    });
    if (!made.ok) throw new Error(`refused: ${JSON.stringify(made.error)}`);
    earlierNotes.push(made.value);
    return noteOf(made.value);
  });
}

function unusedByCore({ invoice, note }: { invoice: InvoiceCase; note: CreditNoteCase }): Note {
  const [item] = note.items;
  const amount = decimal(item?.cents ?? "0");
  const made = creditForUnused(creditedInvoice(invoice, note, []), { feeId: idOf(item?.fee ?? 0), amount });
  return made === null ? { coupons: 0n, subTotal: 0n, taxes: 0n, total: 0n } : noteOf(made);
}

function creditedInvoice(
  invoice: InvoiceCase,
  { fees }: CreditNoteCase,
  earlierNotes: CreditedInvoice["earlierNotes"],
): CreditedInvoice {
  const { figures, taxLines } = computeInvoice(inputOf(invoice));
  return {
    currency: currencyWith(invoice.digits),
    figures,
    taxLines,
    earlierNotes,
    fees: fees.map(({ cents, coupon, taxes, credited }, index) => ({
      id: idOf(index),
      label: "fee",
      amountMinor: minor(BigInt(cents)),
      couponShare: new Fraction(BigInt(coupon.n), BigInt(coupon.d)),
      taxes: taxes.map(({ code, rate }) => ({ code, name: code, rate: decimal(rate) })),
      creditedMinor: minor(BigInt(credited)),
    })),
  };
}

function noteOf(note: MadeNote): Note {
  sameFigures(noteFiguresFrom(JSON.parse(JSON.stringify(note.derivation))), note);
  const { couponsMinor, subTotalExcludingTaxesMinor, taxesMinor, totalMinor } = note;
  return { coupons: couponsMinor, subTotal: subTotalExcludingTaxesMinor, taxes: taxesMinor, total: totalMinor };
}

/** A note that comes to nothing is not made, whatever its parts are. */
function noteByOracle(note: CreditNoteCase): Note {
  const { couponsAdjustment, subTotalExcluding, taxes, total } = oracleCreditNote(note);
  if (total === 0n) return { coupons: 0n, subTotal: 0n, taxes: 0n, total: 0n };
  return { coupons: couponsAdjustment, subTotal: subTotalExcluding, taxes, total };
}

function sameFigures(again: object, figures: object): void {
  for (const [name, amount] of Object.entries(again)) {
    if (amount !== (figures as Record<string, unknown>)[name]) throw new Error(`the derivation gives another ${name}`);
  }
}
