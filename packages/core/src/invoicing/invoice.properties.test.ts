import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CouponFrequency, CouponLimit } from "../catalog/index.ts";
import { currency, decimal, fraction, minor, round, sum } from "../money/index.ts";
import { noteFiguresFrom } from "./credit-note-derivation.ts";
import {
  type CreditableInvoice,
  computeCreditNote,
  computeInvoice,
  estimateCreditNote,
  type Fee,
  freshCoupon,
  giveBackCoupon,
  giveBackCreditNote,
  giveBackWallet,
  type InvoiceInput,
} from "./index.ts";
import { invoiceFiguresFrom } from "./invoice-derivation.ts";

const EUR = currency("EUR");
const cents = (amount: number) => minor(BigInt(amount));
const TAXES = [
  ["vat", "20"],
  ["city", "0.5"],
  ["state", "8.875"],
  ["luxury", "50"],
].map(([code = "", rate = ""]) => ({ code, name: code, rate: decimal(rate) }));

/** Small amounts round often, large ones rarely. */
const amount = fc.oneof(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 100_000 }));
const plan = fc.constantFrom("p", "q");
const instant = fc.integer({ min: 0, max: 3 }).map((day) => Temporal.Instant.fromEpochMilliseconds(day * 86_400_000));
const indexed = <Item>(items: readonly Item[], name: string) =>
  items.map((item, index) => ({ ...item, id: `${name}${index}` }));

const fees = fc
  .array(fc.record({ amount, plan, metric: fc.constantFrom("m", "n"), taxes: fc.subarray(TAXES) }), { maxLength: 6 })
  .map((list) =>
    list.map(
      ({ amount, plan, metric, taxes }, index): Fee => ({
        id: `fee${index}`,
        label: `fee${index}`,
        amountMinor: cents(amount),
        item: { kind: "charge", planCode: plan, metricCode: metric, chargeTaxes: taxes, planTaxes: [] },
      }),
    ),
  );

const coupons = fc
  .array(
    fc.record({
      value: fc.oneof(
        amount.map((off) => ({ type: "fixed_amount" as const, amountMinor: cents(off + 1), currency: EUR })),
        fc
          .constantFrom("100", "33.33333", "50", "0.1")
          .map((rate) => ({ type: "percentage" as const, rate: decimal(rate) })),
      ),
      frequency: fc.constantFrom<CouponFrequency>(
        { type: "once" },
        { type: "recurring", invoices: 2 },
        { type: "recurring", invoices: 1 },
        { type: "forever" },
      ),
      limit: fc.constantFrom<CouponLimit>(
        { type: "none" },
        { type: "plans", codes: ["p"] },
        { type: "metrics", codes: ["m"] },
        { type: "metrics", codes: ["m", "n"] },
      ),
      appliedAt: instant,
    }),
    { maxLength: 5 },
  )
  .map((list) =>
    indexed(list, "coupon").map(({ value, frequency, ...rest }) => ({
      ...rest,
      code: rest.id,
      state: freshCoupon({ value, frequency }),
    })),
  );

const creditNotes = fc
  .array(fc.record({ balanceMinor: amount.map(cents), createdAt: instant }), { maxLength: 3 })
  .map((list) =>
    indexed(list, "note").map((note) => ({ ...note, number: note.id, invoiceId: "other", currency: EUR })),
  );

const wallets = fc
  .array(
    fc.record({
      balanceMinor: amount.map(cents),
      createdAt: instant,
      priority: fc.constantFrom(1, 50),
      rate: fc.constantFrom("1", "3", "0.001").map(decimal),
    }),
    { maxLength: 3 },
  )
  .map((list) => indexed(list, "wallet").map((wallet) => ({ ...wallet, expiresAt: null, currency: EUR })));

const input = fc.record({ fees, coupons, creditNotes, wallets }).map(
  (spendable): InvoiceInput => ({
    id: "invoice",
    form: { type: "subscription", status: "finalized" },
    currency: EUR,
    at: Temporal.Instant.from("2024-01-01T00:00:00Z"),
    taxes: { customer: [], organization: [] },
    ...spendable,
  }),
);

const holds = (check: (given: InvoiceInput) => void, runs = 300) =>
  fc.assert(fc.property(input, check), { numRuns: runs });
const throughJson = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value));

describe("every invoice", () => {
  test("adds up, and no figure is below zero", () =>
    holds((given) => {
      const { figures } = computeInvoice(given);
      for (const figure of Object.values(figures)) expect(figure >= 0n).toBe(true);
      const { feesMinor, couponsMinor, taxesMinor, creditNotesMinor, prepaidMinor, totalMinor } = figures;
      expect(feesMinor - couponsMinor + taxesMinor - creditNotesMinor - prepaidMinor).toBe(totalMinor);
    }));

  test("has coupons that never exceed the fees, fee by fee, and whose shares are exactly what was credited", () =>
    holds((given) => {
      const { fees, figures, couponUses } = computeInvoice(given);
      for (const { couponShare, amountMinor } of fees) {
        expect(couponShare.isBelow(0n) || couponShare.isAbove(amountMinor)).toBe(false);
      }
      expect(sum(fees.map(({ couponShare }) => couponShare)).equals(figures.couponsMinor)).toBe(true);
      for (const { base, creditMinor } of couponUses) expect(base.isBelow(creditMinor)).toBe(false);
    }));

  test("bears the rounded sum of the exact taxes of its fees", () =>
    holds((given) => {
      const { fees, figures } = computeInvoice(given);
      const exact = fees.map(({ amountMinor, couponShare, taxesRate }) =>
        fraction(amountMinor).minus(couponShare).times(taxesRate).over(100n),
      );
      expect(figures.taxesMinor).toBe(round(sum(exact)));
    }));

  test("spends no more of anything than there is, and leaves nothing unspent while something is owed", () =>
    holds((given) => {
      const { figures, creditNoteUses, walletUses } = computeInvoice(given);
      for (const { note, amountMinor, balanceMinor } of creditNoteUses) {
        expect(amountMinor > 0n && balanceMinor >= 0n && amountMinor + balanceMinor === note.balanceMinor).toBe(true);
      }
      for (const { wallet, amountMinor, balanceMinor } of walletUses) {
        expect(amountMinor > 0n && balanceMinor >= 0n && amountMinor + balanceMinor === wallet.balanceMinor).toBe(true);
      }
      const total = (list: readonly { balanceMinor: bigint }[]) =>
        list.reduce((all, one) => all + one.balanceMinor, 0n);
      if (figures.totalMinor > 0n) {
        expect(figures.creditNotesMinor + figures.prepaidMinor).toBe(total(given.creditNotes) + total(given.wallets));
      }
    }));

  test("does not depend on the order in which things are given", () =>
    fc.assert(
      fc.property(input, fc.nat(1000), (given, seed) => {
        const shuffled = <Item>(items: readonly Item[]) =>
          items
            .map((item, index) => ({ item, key: ((index + 1) * 7919 * (seed + 1)) % 101 }))
            .toSorted((a, b) => a.key - b.key)
            .map(({ item }) => item);
        const { coupons, creditNotes, wallets, fees } = given;
        const other = computeInvoice({
          ...given,
          fees: shuffled(fees),
          coupons: shuffled(coupons),
          creditNotes: shuffled(creditNotes),
          wallets: shuffled(wallets),
        });
        const one = computeInvoice(given);
        expect(other.figures).toEqual(one.figures);
        expect(other.couponUses.map(({ coupon, creditMinor }) => [coupon.id, creditMinor])).toEqual(
          one.couponUses.map(({ coupon, creditMinor }) => [coupon.id, creditMinor]),
        );
        expect(other.walletUses.map(({ wallet, amountMinor }) => [wallet.id, amountMinor])).toEqual(
          one.walletUses.map(({ wallet, amountMinor }) => [wallet.id, amountMinor]),
        );
      }),
      { numRuns: 150 },
    ));

  test("can be computed again from its derivation, whose steps add up to the total", () =>
    holds((given) => {
      const { derivation, figures } = computeInvoice(given);
      expect(invoiceFiguresFrom(throughJson(derivation))).toEqual(figures);
      const { fees, coupons, creditNotes, wallets } = throughJson(derivation);
      const total = (steps: readonly string[]) => steps.reduce((all, digits) => all + BigInt(digits), 0n);
      const less = [
        ...coupons.map(({ creditMinor }) => creditMinor),
        ...[...creditNotes, ...wallets].map(({ amountMinor }) => amountMinor),
      ];
      const owed = total(fees.map(({ amountMinor }) => amountMinor)) + figures.taxesMinor - total(less);
      expect(owed).toBe(figures.totalMinor);
    }));

  test("as a draft spends nothing", () =>
    holds((given) => {
      const draft = computeInvoice({ ...given, form: { type: "subscription", status: "draft" } });
      expect([draft.couponUses, draft.creditNoteUses, draft.walletUses]).toEqual([[], [], []]);
      expect(draft.figures.totalMinor).toBe(draft.figures.feesMinor + draft.figures.taxesMinor);
    }, 50));

  test("that is voided gives back exactly what was spent", () =>
    holds((given) => {
      const { couponUses, creditNoteUses, walletUses } = computeInvoice(given);
      for (const { coupon, creditMinor, left, isTerminated } of couponUses) {
        const status = isTerminated ? "terminated" : "active";
        const back = giveBackCoupon({ left, status, isWithdrawn: false, creditMinor });
        expect(back).toEqual({ left: coupon.state.left, status: "active" });
      }
      for (const { note, amountMinor, balanceMinor, status } of creditNoteUses) {
        const back = giveBackCreditNote({ status, balanceMinor }, amountMinor);
        expect(back).toEqual({ status: "available", balanceMinor: note.balanceMinor });
      }
      for (const { wallet, amountMinor, balanceMinor, credits } of walletUses) {
        const now = { status: "active", balanceMinor, consumedMinor: amountMinor, consumedCredits: credits } as const;
        const back = giveBackWallet(now, { amountMinor, credits });
        expect([back.balanceMinor, back.consumedMinor, back.consumedCredits.toFixed()]).toEqual([
          wallet.balanceMinor,
          0n,
          "0",
        ]);
      }
    }, 150));
});

describe("the credit notes of an invoice", () => {
  /** Credits parts of fees one after another, and in the end whatever is left. */
  function credit(given: InvoiceInput, parts: readonly (readonly number[])[]) {
    const { fees, figures, taxLines } = computeInvoice(given);
    let open: CreditableInvoice = {
      currency: EUR,
      status: "finalized",
      isPaid: false,
      writtenOffMinor: minor(0n),
      source: { type: "subscription" },
      figures,
      taxLines,
      fees: fees.map(({ id, amountMinor, couponShare, taxes }) => ({
        id,
        label: id,
        amountMinor,
        couponShare,
        taxes: taxes.map(({ tax }) => tax),
        creditedMinor: cents(0),
      })),
      earlierNotes: [],
    };
    for (const part of [...parts, open.fees.map(() => 100)]) {
      const items = open.fees.map(({ id, amountMinor, creditedMinor }, index) => ({
        feeId: id,
        amountMinor: minor(((amountMinor - creditedMinor) * BigInt(part[index] ?? 0)) / 100n),
      }));
      const estimate = estimateCreditNote(open, items);
      if (!estimate.ok) throw new Error(JSON.stringify(estimate.error));
      const request = { items, creditMinor: estimate.value.maxCreditableMinor, refundMinor: cents(0) };
      const note = computeCreditNote(open, request);
      expect(note.ok).toBe(request.creditMinor > 0n);
      const credited = note.ok ? note.value : { ...estimate.value, creditMinor: cents(0) };
      expect(credited.creditMinor).toBe(request.creditMinor);
      expect(noteFiguresFrom(throughJson(credited.derivation)).totalMinor).toBe(credited.totalMinor);
      open = {
        ...open,
        fees: open.fees.map((fee, index) => ({
          ...fee,
          creditedMinor: minor(fee.creditedMinor + (items[index]?.amountMinor ?? 0n)),
        })),
        earlierNotes: [...open.earlierNotes, credited],
      };
      check(open);
    }
    return open;
  }

  const FIGURES = ["couponsMinor", "subTotalExcludingTaxesMinor", "taxesMinor"] as const;
  const total = (open: CreditableInvoice, figure: (typeof FIGURES)[number] | "totalMinor") =>
    open.earlierNotes.reduce((all, note) => all + note[figure], 0n);

  /** Whatever has been credited so far is at most the invoice. */
  function check(open: CreditableInvoice) {
    for (const note of open.earlierNotes) for (const figure of FIGURES) expect(note[figure] >= 0n).toBe(true);
    for (const figure of FIGURES) expect(total(open, figure) <= open.figures[figure]).toBe(true);
    expect(total(open, "totalMinor") <= open.figures.subTotalIncludingTaxesMinor).toBe(true);
  }

  const parts = fc.array(fc.array(fc.constantFrom(0, 0, 1, 33, 50, 100), { minLength: 6, maxLength: 6 }), {
    maxLength: 4,
  });

  test("never come to more than the invoice, and together to exactly the invoice", () =>
    fc.assert(
      fc.property(input, parts, (given, parts) => {
        const open = credit(given, parts);
        for (const figure of FIGURES) expect(total(open, figure)).toBe(open.figures[figure]);
        expect(total(open, "totalMinor")).toBe(open.figures.subTotalIncludingTaxesMinor);
      }),
      { numRuns: 400 },
    ));

  test("of single cents round the most, and sum to the invoice too", () => {
    const one = (index: number): Fee => ({
      id: `fee${index}`,
      label: "a cent",
      amountMinor: cents(1),
      item: { kind: "charge", planCode: "p", metricCode: "m", chargeTaxes: TAXES, planTaxes: [] },
    });
    const given: InvoiceInput = {
      id: "invoice",
      form: { type: "one_off", status: "finalized" },
      currency: EUR,
      at: Temporal.Instant.from("2024-01-01T00:00:00Z"),
      taxes: { customer: [], organization: [] },
      fees: [0, 1, 2, 3, 4, 5].map(one),
      coupons: [],
      creditNotes: [],
      wallets: [],
    };
    const open = credit(
      given,
      [0, 1, 2, 3, 4].map((index) => [0, 1, 2, 3, 4, 5].map((other) => (other === index ? 100 : 0))),
    );
    expect(total(open, "totalMinor")).toBe(open.figures.subTotalIncludingTaxesMinor);
  });
});
