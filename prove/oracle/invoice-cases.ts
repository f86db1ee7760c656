// Arbitrary invoices, the credit notes that take them back bit by bit, and amounts that go by days.

import type { InvoiceCoupon, InvoiceFee, TaxRate } from "@tallystick/second-opinion/credit-rules";
import { type InvoiceCase, oracleInvoice } from "@tallystick/second-opinion/invoice";
import { type Rational, toText } from "@tallystick/second-opinion/rational";
import type { MinimumCase, SubscriptionFeeCase } from "@tallystick/second-opinion/subscription";
import fc from "fast-check";
import { type CreditNoteCase, creditedFigures, oracleCreditNote } from "./credit-note.ts";
import { cents, decimalText, digits, ONE, periodDays, rate } from "./random-numbers.ts";

export const PLANS = ["starter", "pro"];
export const METRICS = ["calls", "seats", "storage"];

const feesWith = (taxes: readonly TaxRate[]): fc.Arbitrary<InvoiceFee[]> =>
  fc.array(
    fc.record({
      cents: cents.map(String),
      planCode: fc.constantFrom(...PLANS),
      metricCode: fc.constantFrom(null, ...METRICS),
      taxes: fc.subarray([...taxes]),
    }),
    { minLength: 1, maxLength: 6 },
  );

const limitation = fc.oneof(
  fc.constant({ planCodes: null, metricCodes: null }),
  fc.subarray(PLANS, { minLength: 1 }).map((planCodes) => ({ planCodes, metricCodes: null })),
  fc.subarray(METRICS, { minLength: 1 }).map((metricCodes) => ({ planCodes: null, metricCodes })),
);

const worth = fc.oneof(
  cents.map((amount) => ({ kind: "fixed" as const, cents: String(amount + 1n) })),
  rate.map((percentage) => ({ kind: "percentage" as const, rate: percentage })),
);

const frequency = fc.oneof(
  fc.constantFrom({ frequency: "once" as const }, { frequency: "forever" as const }),
  fc.integer({ min: 1, max: 12 }).map((remaining) => ({ frequency: "recurring" as const, remaining })),
);

export const coupon: fc.Arbitrary<InvoiceCoupon> = fc
  .tuple(worth, frequency, limitation, fc.nat({ max: 5 }))
  .map(([amount, often, limits, appliedAt]) => ({ ...amount, ...often, ...limits, appliedAt }));

export const invoiceCase: fc.Arbitrary<InvoiceCase> = fc
  .array(rate, { maxLength: 3 })
  .map((rates) => rates.map((percentage, index) => ({ code: `tax-${index}`, rate: percentage })))
  .chain((taxes) =>
    fc.record({
      digits,
      fees: feesWith(taxes),
      coupons: fc.array(coupon, { maxLength: 5 }),
      creditNotes: fc.array(fc.record({ balance: cents.map(String), at: fc.nat({ max: 5 }) }), { maxLength: 3 }),
      wallets: fc.array(
        fc.record({
          balance: cents.map(String),
          priority: fc.integer({ min: 1, max: 3 }),
          at: fc.nat({ max: 5 }),
          rate: fc.constantFrom("1", "2", "0.333", "0.001", "12.34567"),
        }),
        { maxLength: 3 },
      ),
    }),
  );

/** Which share of what is left of each fee, in thousandths, one note takes. */
type Request = { thousandths: number[]; takesTheRest: boolean };

const request: fc.Arbitrary<Request> = fc.record({
  thousandths: fc.array(fc.oneof(fc.constantFrom(0, 500, 1000), fc.nat({ max: 1000 })), { minLength: 6, maxLength: 6 }),
  takesTheRest: fc.nat({ max: 3 }).map((number) => number === 0),
});

/** The notes of one invoice in turn; one that would give back nothing is refused, so the next does not know it. */
function notesOf(invoice: InvoiceCase, requests: readonly Request[]): CreditNoteCase[] {
  const issued = oracleInvoice(invoice);
  const left = invoice.fees.map(({ cents: amount }) => BigInt(amount));
  const earlierNotes: CreditNoteCase["earlierNotes"] = [];
  return requests.flatMap(({ thousandths, takesTheRest }) => {
    const parts = left.map((amount, fee) => (takesTheRest ? amount : (amount * BigInt(thousandths[fee] ?? 0)) / 1000n));
    const items = parts.flatMap((amount, fee) => (amount === 0n ? [] : [{ fee, cents: String(amount) }]));
    const fees = creditedFees(invoice, issued.shares, left);
    const figures = creditedFigures(issued.coupons, issued);
    const note: CreditNoteCase = { fees, invoice: figures, earlierNotes: [...earlierNotes], items };
    const result = oracleCreditNote(note);
    if (items.length === 0 || result.total <= 0n) return [];
    parts.forEach((amount, fee) => {
      left[fee] = (left[fee] ?? 0n) - amount;
    });
    earlierNotes.push(creditedFigures(result.couponsAdjustment, result));
    return [note];
  });
}

const creditedFees = (invoice: InvoiceCase, shares: readonly Rational[], left: readonly bigint[]) =>
  invoice.fees.map((fee, index) => ({
    cents: fee.cents,
    coupon: toText(shares[index] ?? { n: 0n, d: 1n }),
    taxes: fee.taxes,
    credited: String(BigInt(fee.cents) - (left[index] ?? 0n)),
  }));

/** An invoice and the notes on it in turn, many of them up to its end. */
export const creditNotesCase: fc.Arbitrary<{ invoice: InvoiceCase; notes: CreditNoteCase[] }> = fc
  .record({ invoice: invoiceCase, requests: fc.array(request, { minLength: 1, maxLength: 5 }) })
  .map(({ invoice, requests: inputs }) => ({ invoice, notes: notesOf(invoice, inputs) }));

/** What a termination gives back of one fee: a part of it to 5 decimals. */
export const unusedCase: fc.Arbitrary<{ invoice: InvoiceCase; note: CreditNoteCase }> = fc
  .record({ invoice: invoiceCase, millionths: fc.integer({ min: 1, max: 1_000_000 }), chosen: fc.nat({ max: 5 }) })
  .map(({ invoice, millionths, chosen }) => {
    const issued = oracleInvoice(invoice);
    const fee = chosen % invoice.fees.length;
    const exact = (BigInt(invoice.fees[fee]?.cents ?? "0") * BigInt(millionths) * ONE) / 1_000_000n;
    const amount = decimalText((exact / HUNDRED_THOUSANDTH) * HUNDRED_THOUSANDTH);
    const whole = invoice.fees.map(({ cents: all }) => BigInt(all));
    return {
      invoice,
      note: {
        fees: creditedFees(invoice, issued.shares, whole),
        invoice: creditedFigures(issued.coupons, issued),
        earlierNotes: [],
        items: [{ fee, cents: amount }],
      },
    };
  });

const HUNDRED_THOUSANDTH = ONE / 100_000n;

const daysOfPeriod = periodDays.chain((period) =>
  fc.record({
    // Half of the days makes halves of a cent.
    days: fc.oneof(fc.integer({ min: 0, max: period }), fc.constantFrom(period, Math.floor(period / 2))),
    periodDays: fc.constant(period),
  }),
);

export const subscriptionFeeCase: fc.Arbitrary<SubscriptionFeeCase> = fc
  .tuple(cents, daysOfPeriod)
  .map(([amount, days]) => ({ cents: String(amount), ...days }));

export const minimumCase: fc.Arbitrary<MinimumCase> = fc
  .tuple(cents, cents, daysOfPeriod)
  .map(([minimum, used, days]) => ({ minimum: String(minimum), used: String(used), ...days }));
