// Arbitrary customers with all kinds of credits, whose amounts are of one size, so that credits cover invoices now wholly and now in part.

import type { TaxRate } from "@tallystick/second-opinion/credit-rules";
import fc from "fast-check";
import type { CustomerCase, CustomerCoupon, CustomerFee, CustomerNote, CustomerWallet, Step } from "./customer-case.ts";
import { coupon, METRICS, PLANS } from "./invoice-cases.ts";
import { decimalText, digits, ONE, rate } from "./random-numbers.ts";

const sizes = fc.constantFrom(12n, 1000n, 100_000n, 10n ** 12n);

const amountUpTo = (most: bigint): fc.Arbitrary<string> =>
  fc
    .oneof({ weight: 1, arbitrary: fc.constant(0n) }, { weight: 9, arbitrary: fc.bigInt({ min: 0n, max: most }) })
    .map(String);
const positiveUpTo = (most: bigint): fc.Arbitrary<string> => fc.bigInt({ min: 1n, max: most }).map(String);

const rarely = fc.nat({ max: 9 }).map((number) => number === 0);

/** A code may have changed its rate, but bears on a fee once. */
const taxes: fc.Arbitrary<TaxRate[]> = fc.uniqueArray(
  fc.record({ code: fc.constantFrom("vat", "city", "state"), rate }),
  { maxLength: 4, selector: ({ code, rate: percentage }) => `${code} ${percentage}` },
);
const levelOf = (all: readonly TaxRate[]): fc.Arbitrary<TaxRate[]> =>
  fc
    .subarray([...all])
    .map((level) => level.filter(({ code }, index) => level.findIndex((other) => other.code === code) === index));
const emptyOften = (all: readonly TaxRate[]): fc.Arbitrary<TaxRate[]> =>
  fc.oneof(fc.constant<TaxRate[]>([]), levelOf(all));

type Terms = { size: bigint; taxes: readonly TaxRate[] };

const feeOf = ({ size, taxes: all }: Terms, kinds: readonly CustomerFee["kind"][]): fc.Arbitrary<CustomerFee> =>
  fc.record({
    kind: fc.constantFrom(...kinds),
    cents: amountUpTo(size),
    planCode: fc.constantFrom(...PLANS),
    metricCode: fc.constantFrom(...METRICS),
    ownTaxes: emptyOften(all),
    planTaxes: emptyOften(all),
  });

const PERIODIC = ["subscription", "charge", "charge", "charge", "commitment"] as const;

const billOf = (terms: Terms): fc.Arbitrary<Step> =>
  fc.oneof(
    { weight: 6, arbitrary: subscriptionOf(terms, "finalized") },
    { weight: 1, arbitrary: subscriptionOf(terms, "draft") },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant("bill" as const),
        form: fc.constant("one_off" as const),
        fees: fc.array(feeOf(terms, ["add_on"]), { minLength: 1, maxLength: 3 }),
      }),
    },
  );

const subscriptionOf = (terms: Terms, form: "finalized" | "draft"): fc.Arbitrary<Step> =>
  fc.record({
    do: fc.constant("bill" as const),
    form: fc.constant(form),
    fees: fc.oneof(
      { weight: 1, arbitrary: fc.constant<CustomerFee[]>([]) },
      { weight: 19, arbitrary: fc.array(feeOf(terms, PERIODIC), { minLength: 1, maxLength: 6, size: "max" }) },
    ),
  });

const thousandths = fc.oneof(
  { weight: 10, arbitrary: fc.constantFrom(0, 333, 500, 1000, 1000) },
  { weight: 10, arbitrary: fc.nat({ max: 1000 }) },
  { weight: 1, arbitrary: fc.constant(1001) },
);

const someParts = fc.array(fc.record({ fee: fc.nat({ max: 5 }), thousandths }), { minLength: 1, maxLength: 3 });
const allParts = fc.constant("all" as const);

type Parts = (Step & { do: "credit" })["parts"];

const creditOf = (invoice: fc.Arbitrary<number>, parts: fc.Arbitrary<Parts>): fc.Arbitrary<Step> =>
  fc.record({
    do: fc.constant("credit" as const),
    invoice,
    parts,
    refundThousandths: fc.constantFrom(0, 0, 0, 0, 0, 0, 300, 1000),
    missesBy: fc.oneof(
      { weight: 8, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.constantFrom(1, -1, 2, -2) },
    ),
  });

/** A note on all of an invoice, more or less of it in money. */
const refundOf = (invoice: fc.Arbitrary<number>): fc.Arbitrary<Step> =>
  fc.record({
    do: fc.constant("credit" as const),
    invoice,
    parts: fc.oneof(someParts, allParts),
    refundThousandths: fc.constantFrom(100, 500, 999, 1000, 1000),
    missesBy: fc.constantFrom(0, 0, 0, 1, -1),
  });

const unusedOf = (invoice: fc.Arbitrary<number>): fc.Arbitrary<Step> =>
  fc.record({
    do: fc.constant("credit unused" as const),
    invoice,
    fee: fc.nat({ max: 5 }),
    millionths: fc.integer({ min: 1, max: 1_000_000 }),
  });

const voidNoteOf = (note: fc.Arbitrary<number>): fc.Arbitrary<Step> =>
  fc.record({ do: fc.constant("void note" as const), note });

const changeOf = (change: "finalize" | "pay" | "bounce" | "void", invoice: fc.Arbitrary<number>): fc.Arbitrary<Step> =>
  fc.record({ do: fc.constant(change), invoice });

const writeOffFrom = (invoice: fc.Arbitrary<number>): fc.Arbitrary<Step> =>
  fc.record({ do: fc.constant("write off" as const), invoice, thousandths: fc.constantFrom(1, 400, 1000, 1000, 1001) });

const endCouponAs = (...ways: ("terminated" | "expired" | "deleted")[]): fc.Arbitrary<Step> =>
  fc.record({ do: fc.constant("end coupon" as const), coupon: fc.nat({ max: 3 }), how: fc.constantFrom(...ways) });
const endWallet: fc.Arbitrary<Step> = fc.record({
  do: fc.constant("end wallet" as const),
  wallet: fc.nat({ max: 2 }),
});

const credits = fc.oneof(
  fc.constantFrom("0.00001", "5", "10", "0.333333", "1.999999"),
  fc.bigInt({ min: 1n, max: 10n ** 9n }).map((value) => decimalText((value * ONE) / 1_000_000n)),
);
const fillAs = (way: "grant" | "buy"): fc.Arbitrary<Step> =>
  fc.record({ do: fc.constant(way), wallet: fc.nat({ max: 2 }), credits });

const LAST = fc.constant(-1);
const anyOf = fc.integer({ min: -3, max: 3 });

/** Whatever may happen after an invoice, some of it in a row, because what is rare alone is rarer together. */
const happening: fc.Arbitrary<Step[]> = fc.oneof(
  { weight: 2, arbitrary: fc.tuple(fc.oneof(creditOf(anyOf, someParts), creditOf(anyOf, allParts), unusedOf(anyOf))) },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.oneof(changeOf("pay", anyOf), changeOf("void", anyOf), changeOf("finalize", LAST))),
  },
  { weight: 1, arbitrary: fc.tuple(fc.oneof(voidNoteOf(anyOf), fillAs("grant"), endWallet)) },
  { weight: 1, arbitrary: fc.tuple(endCouponAs("terminated", "expired", "deleted")) },
  // Credited bit by bit to its end.
  {
    weight: 3,
    arbitrary: fc.tuple(
      creditOf(LAST, someParts),
      fc.oneof(creditOf(LAST, someParts), unusedOf(LAST), voidNoteOf(LAST)),
      creditOf(LAST, allParts),
    ),
  },
  // Taken back after something that it used has ended.
  { weight: 2, arbitrary: fc.tuple(fc.oneof(endCouponAs("expired", "deleted"), endWallet), changeOf("void", LAST)) },
  // Paid and given back, also in money.
  { weight: 1, arbitrary: fc.tuple(changeOf("pay", LAST), refundOf(LAST)) },
  // Bought, paid, and not paid after all; then whatever follows from that.
  {
    weight: 2,
    arbitrary: fc.tuple(
      fillAs("buy"),
      changeOf("pay", LAST),
      fc.oneof(changeOf("bounce", LAST), writeOffFrom(LAST), endWallet, fillAs("grant")),
      fc.oneof(changeOf("pay", LAST), changeOf("bounce", LAST), writeOffFrom(LAST), endWallet, changeOf("void", LAST)),
      fc.oneof(changeOf("pay", anyOf), changeOf("bounce", anyOf), changeOf("void", anyOf)),
    ),
  },
  // Used, and the payment of what was used bounces.
  {
    weight: 1,
    arbitrary: fc.tuple(
      changeOf("bounce", anyOf),
      writeOffFrom(anyOf),
      changeOf("void", anyOf),
      changeOf("pay", anyOf),
    ),
  },
  // Bought, paid and given back.
  { weight: 1, arbitrary: fc.tuple(fillAs("buy"), changeOf("pay", LAST), refundOf(LAST)) },
);

/** Amounts of the size of the invoices. */
const couponOf = ({ size }: Terms): fc.Arbitrary<CustomerCoupon> =>
  fc
    .tuple(coupon, positiveUpTo(size), fc.integer({ min: 1, max: 3 }), rarely)
    .map(([made, cents, remaining, isForeign]) => ({
      ...made,
      ...(made.kind === "fixed" ? { cents } : {}),
      ...(made.frequency === "recurring" ? { remaining } : {}),
      isForeign,
    }));

const noteOf = ({ size }: Terms): fc.Arbitrary<CustomerNote> =>
  fc.record({
    balance: positiveUpTo(size),
    at: fc.nat({ max: 3 }),
    isForeign: rarely,
    invoice: fc.oneof({ weight: 9, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.nat({ max: 1 }) }),
  });

const walletOf = ({ size }: Terms): fc.Arbitrary<CustomerWallet> =>
  fc.record({
    balance: amountUpTo(size),
    priority: fc.integer({ min: 1, max: 3 }),
    at: fc.nat({ max: 3 }),
    rate: fc.constantFrom("1", "1", "2", "0.333", "0.001", "12.34567", "1000"),
    isForeign: rarely,
    expiresAt: fc.oneof(
      { weight: 3, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.integer({ min: 10, max: 20 }) },
    ),
  });

const customerOf = (
  terms: Terms,
  steps: (bill: fc.Arbitrary<Step>) => fc.Arbitrary<Step[]>,
): fc.Arbitrary<CustomerCase> =>
  fc.record({
    digits,
    customerTaxes: emptyOften(terms.taxes),
    organizationTaxes: levelOf(terms.taxes),
    coupons: fc.array(couponOf(terms), { maxLength: 4, size: "max" }),
    notes: fc.array(noteOf(terms), { maxLength: 3, size: "max" }),
    wallets: fc.array(walletOf(terms), { maxLength: 3, size: "max" }),
    steps: steps(billOf(terms)),
  });

const terms: fc.Arbitrary<Terms> = fc.record({ size: sizes, taxes });

/** One invoice with whatever there is to pay it. */
export const wholeInvoiceCase: fc.Arbitrary<CustomerCase> = terms.chain((chosen) =>
  customerOf(chosen, (bill) => fc.tuple(bill)),
);

/** Several, and between them whatever else can happen. */
export const customerLifeCase: fc.Arbitrary<CustomerCase> = terms.chain((chosen) =>
  customerOf(chosen, (bill) =>
    fc
      .tuple(
        subscriptionOf(chosen, "finalized"),
        fc.array(fc.oneof({ weight: 1, arbitrary: fc.tuple(bill) }, { weight: 3, arbitrary: happening }), {
          minLength: 1,
          maxLength: 4,
          size: "max",
        }),
        subscriptionOf(chosen, "finalized"),
      )
      .map(([first, between, last]) => [first, ...between.flat(), last]),
  ),
);
