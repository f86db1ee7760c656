import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CouponFrequency, CouponLimit } from "../catalog/index.ts";
import { type Currency, currency, decimal, minor, ZERO } from "../money/index.ts";
import {
  type AppliedCoupon,
  computeInvoice,
  type Fee,
  type FeeItem,
  freshCoupon,
  giveBackCoupon,
  giveBackCreditNote,
  giveBackWallet,
  type InvoiceInput,
} from "./index.ts";
import { invoiceFiguresFrom } from "./invoice-derivation.ts";

type Invoice = ReturnType<typeof computeInvoice>;
type Spendable = Pick<InvoiceInput, "coupons" | "creditNotes" | "wallets">;

const NOW = Temporal.Instant.from("2024-06-01T00:00:00Z");
const cents = (amount: number) => minor(BigInt(amount));
const total = (amounts: readonly bigint[]) => amounts.reduce((all, amount) => all + amount, 0n);

const tax = fc.record({
  code: fc.constantFrom("vat", "city", "state"),
  name: fc.constant("tax"),
  rate: fc.constantFrom("0", "20", "0.5", "8.875", "33.33333").map(decimal),
});
const level = fc.uniqueArray(tax, { maxLength: 2, selector: ({ code }) => code });
const planCode = fc.constantFrom("p", "q");
const metricCode = fc.constantFrom("m", "n");
const planTaxes = level;

const item: fc.Arbitrary<FeeItem> = fc.oneof(
  fc.record({ kind: fc.constant("subscription" as const), planCode, planTaxes }),
  fc.record({ kind: fc.constant("charge" as const), planCode, metricCode, chargeTaxes: level, planTaxes }),
  fc.record({ kind: fc.constant("commitment" as const), planCode, commitmentTaxes: level, planTaxes }),
);

/** Amounts of similar size, so that credits pay some invoices fully and others in part. */
const amountUpTo = (most: number) => fc.oneof(fc.constant(0), fc.integer({ min: 0, max: most })).map(cents);

const feesUpTo = (most: number): fc.Arbitrary<Fee[]> =>
  fc
    .array(fc.record({ amountMinor: amountUpTo(most), item }), { maxLength: 5 })
    .map((list) => list.map((fee, index) => ({ ...fee, id: `fee${index}`, label: `fee${index}` })));

/** Long before the invoices, at few different instants, so that ties are common. */
const instant = fc.integer({ min: 0, max: 3 }).map((day) => NOW.subtract({ hours: 24 * (10 - day) }));
const indexed = <Item>(name: string, items: readonly Item[]) =>
  items.map((one, index) => ({ ...one, id: `${name}${index}` }));

const frequency = fc.constantFrom<CouponFrequency>(
  { type: "once" },
  { type: "recurring", invoices: 1 },
  { type: "recurring", invoices: 2 },
  { type: "forever" },
);
const limit = fc.constantFrom<CouponLimit>(
  { type: "none" },
  { type: "plans", codes: ["p"] },
  { type: "metrics", codes: ["m"] },
);

const couponsUpTo = (most: number, own: fc.Arbitrary<Currency>): fc.Arbitrary<AppliedCoupon[]> => {
  const value = fc.oneof(
    fc
      .tuple(fc.integer({ min: 1, max: most }), own)
      .map(([off, of]) => ({ type: "fixed_amount" as const, amountMinor: cents(off), currency: of })),
    fc.constantFrom("100", "33.33333", "0.1").map((rate) => ({ type: "percentage" as const, rate: decimal(rate) })),
  );
  return fc.array(fc.record({ value, frequency, limit, appliedAt: instant }), { maxLength: 4 }).map((list) =>
    indexed("coupon", list).map(({ value, frequency, ...rest }) => ({
      ...rest,
      code: rest.id,
      state: freshCoupon({ value, frequency }),
    })),
  );
};

const notesUpTo = (most: number, own: fc.Arbitrary<Currency>) =>
  fc
    .array(
      fc.record({
        balanceMinor: fc.integer({ min: 1, max: most }).map(cents),
        createdAt: instant,
        currency: own,
        invoiceId: fc.constantFrom("another", "another", "another", "invoice0"),
      }),
      { maxLength: 3 },
    )
    .map((list) => indexed("note", list).map((note) => ({ ...note, number: note.id })));

const walletsUpTo = (most: number, own: fc.Arbitrary<Currency>) =>
  fc
    .array(
      fc.record({
        balanceMinor: amountUpTo(most),
        createdAt: instant,
        currency: own,
        priority: fc.constantFrom(1, 50),
        rate: fc.constantFrom("1", "3", "0.001").map(decimal),
        expiresAt: fc.constantFrom(null, null, NOW, NOW.add({ hours: 1 })),
      }),
      { maxLength: 3 },
    )
    .map((list) => indexed("wallet", list));

type Life = { money: Currency; spendable: Spendable; bills: Fee[][] };

/** A customer with credits, a few of them of another currency, and the fees of its next invoices. */
const life: fc.Arbitrary<Life> = fc
  .record({
    most: fc.constantFrom(12, 1000, 1_000_000),
    money: fc.constantFrom("EUR", "JPY", "KWD").map(currency),
  })
  .chain(({ most, money }) => {
    const own = fc.constantFrom(money, money, money, money, currency("CHF"));
    return fc.record({
      money: fc.constant(money),
      spendable: fc.record({
        coupons: couponsUpTo(most, own),
        creditNotes: notesUpTo(most, own),
        wallets: walletsUpTo(most, own),
      }),
      bills: fc.array(feesUpTo(most), { minLength: 1, maxLength: 4 }),
    });
  });

const inputOf = (money: Currency, spendable: Spendable, [fees, index]: [Fee[], number]): InvoiceInput => ({
  id: `invoice${index}`,
  form: { type: "subscription", status: "finalized" },
  currency: money,
  at: NOW,
  taxes: { customer: [{ code: "customer", name: "tax", rate: decimal("7.7") }], organization: [] },
  fees,
  ...spendable,
});

/** What is left after an invoice. The next one cannot use what is used up. */
function after({ coupons, creditNotes, wallets }: Spendable, invoice: Invoice): Spendable {
  return {
    coupons: coupons.flatMap((coupon) => {
      const use = invoice.couponUses.find((one) => one.coupon.id === coupon.id);
      if (!use) return [coupon];
      return use.isTerminated ? [] : [{ ...coupon, state: { ...coupon.state, left: use.left } as typeof coupon.state }];
    }),
    creditNotes: creditNotes.flatMap((note) => {
      const use = invoice.creditNoteUses.find((one) => one.note.id === note.id);
      if (!use) return [note];
      return use.status === "consumed" ? [] : [{ ...note, balanceMinor: use.balanceMinor }];
    }),
    wallets: wallets.map((wallet) => ({
      ...wallet,
      balanceMinor: invoice.walletUses.find((one) => one.wallet.id === wallet.id)?.balanceMinor ?? wallet.balanceMinor,
    })),
  };
}

/** All invoices of a customer in order, each with its inputs. */
function invoicesOf({ money, spendable, bills }: Life): { input: InvoiceInput; invoice: Invoice }[] {
  let left = spendable;
  return bills.map((fees, index) => {
    const input = inputOf(money, left, [fees, index]);
    const invoice = computeInvoice(input);
    left = after(left, invoice);
    return { input, invoice };
  });
}

const holds = (check: (given: Life) => void, numRuns = 300) => fc.assert(fc.property(life, check), { numRuns });
const each = (check: (made: { input: InvoiceInput; invoice: Invoice }) => void) => (given: Life) =>
  invoicesOf(given).forEach(check);
const throughJson = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value));

describe("every invoice of a customer", () => {
  test("adds up from its fees to its total, source by source, and nothing in it is below zero", () =>
    holds(
      each(({ input, invoice: { figures, couponUses, creditNoteUses, walletUses } }) => {
        const fees = total(input.fees.map(({ amountMinor }) => amountMinor));
        const coupons = total(couponUses.map(({ creditMinor }) => creditMinor));
        const notes = total(creditNoteUses.map(({ amountMinor }) => amountMinor));
        const wallets = total(walletUses.map(({ amountMinor }) => amountMinor));
        expect(fees + figures.taxesMinor - coupons - notes - wallets).toBe(figures.totalMinor);
        for (const figure of Object.values(figures)) expect(figure >= 0n).toBe(true);
      }),
    ));

  test("uses balances in order: a source pays only if all earlier ones are used up", () =>
    holds(
      each(({ input, invoice }) => {
        const { figures, creditNoteUses, walletUses } = invoice;
        const left = after(input, invoice);
        const isOwn = (source: { currency: Currency }) => source.currency === input.currency;
        const notes = left.creditNotes.filter((note) => isOwn(note) && note.invoiceId !== input.id);
        const wallets = left.wallets.filter(
          (wallet) => isOwn(wallet) && wallet.balanceMinor > 0n && wallet.expiresAt?.equals(NOW) !== true,
        );
        if (figures.totalMinor > 0n) expect(wallets).toEqual([]);
        if (figures.totalMinor > 0n || walletUses.length > 0) expect(notes).toEqual([]);
        const age = (source: { createdAt: Temporal.Instant; id: string }) => `${source.createdAt} ${source.id}`;
        const rank = (source: InvoiceInput["wallets"][number]) => `${100 + source.priority} ${age(source)}`;
        for (const { note } of creditNoteUses)
          for (const other of notes.filter(({ id }) => id !== note.id)) expect(age(note) < age(other)).toBe(true);
        for (const { wallet } of walletUses)
          for (const other of wallets.filter(({ id }) => id !== wallet.id))
            expect(rank(wallet) < rank(other)).toBe(true);
      }),
    ));

  test("takes coupons for metrics before those for plans, and these before the others", () =>
    holds(
      each(({ invoice: { couponUses } }) => {
        const ranks = { metrics: 0, plans: 1, none: 2 };
        const used = couponUses.map(
          ({ coupon: { limit, appliedAt, id } }) => `${ranks[limit.type]} ${appliedAt} ${id}`,
        );
        expect(used).toEqual(used.toSorted());
      }),
    ));

  test("leaves alone what has another currency, has expired, or credits this very invoice", () =>
    holds(
      each(({ input, invoice: { couponUses, creditNoteUses, walletUses } }) => {
        for (const { coupon } of couponUses)
          expect(coupon.state.value.type === "percentage" || coupon.state.value.currency === input.currency).toBe(true);
        for (const { note } of creditNoteUses)
          expect([note.currency, note.invoiceId === input.id]).toEqual([input.currency, false]);
        for (const { wallet } of walletUses)
          expect([wallet.currency, wallet.expiresAt?.equals(NOW) ?? false]).toEqual([input.currency, false]);
      }),
    ));

  test("is deterministic, does not change its inputs, and can be recomputed from its derivation", () =>
    holds(
      each(({ input, invoice }) => {
        const before = JSON.stringify(throughText(input));
        const again = computeInvoice(input);
        expect(JSON.stringify(throughText(input))).toBe(before);
        expect(again.derivation).toEqual(invoice.derivation);
        const stored = throughJson(invoice.derivation);
        expect(invoiceFiguresFrom(stored)).toEqual(invoice.figures);
        expect(invoiceFiguresFrom(throughJson(stored))).toEqual(invoice.figures);
        expect(stored.coupons.map(({ creditMinor }) => creditMinor)).toEqual(
          invoice.couponUses.map(({ creditMinor }) => String(creditMinor)),
        );
        const paid = [...invoice.creditNoteUses, ...invoice.walletUses].map(({ amountMinor }) => String(amountMinor));
        expect([...stored.creditNotes, ...stored.wallets].map(({ amountMinor }) => amountMinor)).toEqual(paid);
      }),
      150,
    ));
});

/** Amounts are bigints, which JSON does not support. */
const throughText = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, member) => (typeof member === "bigint" ? `${member}n` : member)));

describe("the invoices of a customer together", () => {
  test("never use more of anything than there was", () =>
    holds((given) => {
      const made = invoicesOf(given).map(({ invoice }) => invoice);
      for (const { id, state } of given.spendable.coupons) {
        const credits = made.flatMap(({ couponUses }) =>
          couponUses.filter(({ coupon }) => coupon.id === id).map(({ creditMinor }) => creditMinor),
        );
        const { value, left } = state;
        if (left.type === "amount") expect(total(credits) <= left.amountMinor).toBe(true);
        if (left.type === "uses") expect(credits.length <= left.count).toBe(true);
        if (value.type === "fixed_amount")
          expect(credits.every((credit) => credit > 0n && credit <= value.amountMinor)).toBe(true);
      }
      for (const { id, balanceMinor } of given.spendable.creditNotes) {
        const uses = made.flatMap(({ creditNoteUses }) => creditNoteUses.filter(({ note }) => note.id === id));
        expect(total(uses.map(({ amountMinor }) => amountMinor)) <= balanceMinor).toBe(true);
      }
      for (const { id, balanceMinor } of given.spendable.wallets) {
        const uses = made.flatMap(({ walletUses }) => walletUses.filter(({ wallet }) => wallet.id === id));
        expect(total(uses.map(({ amountMinor }) => amountMinor)) <= balanceMinor).toBe(true);
      }
    }));

  test("give everything back when all of them are voided, in whatever order", () =>
    fc.assert(
      fc.property(life, fc.boolean(), (given, isBackwards) => {
        const made = invoicesOf(given).map(({ invoice }) => invoice);
        const voided = isBackwards ? made.toReversed() : made;
        for (const coupon of given.spendable.coupons) expectCouponBack(coupon, made, voided);
        for (const note of given.spendable.creditNotes) expectNoteBack(note, voided);
        for (const wallet of given.spendable.wallets) expectWalletBack(wallet, voided);
      }),
      { numRuns: 200 },
    ));

  type Invoices = readonly Invoice[];

  function expectCouponBack({ id, state: { left } }: AppliedCoupon, made: Invoices, voided: Invoices) {
    const usesIn = (invoices: Invoices) =>
      invoices.flatMap(({ couponUses }) => couponUses.filter(({ coupon }) => coupon.id === id));
    const last = usesIn(made).at(-1);
    const now = {
      left: last?.left ?? left,
      status: last?.isTerminated ? ("terminated" as const) : ("active" as const),
    };
    const back = usesIn(voided).reduce<typeof now | ReturnType<typeof giveBackCoupon>>(
      ({ left, status }, { creditMinor }) => giveBackCoupon({ left, status, isWithdrawn: false, creditMinor }),
      now,
    );
    expect(back).toEqual({ left, status: "active" });
  }

  function expectNoteBack({ id, balanceMinor }: InvoiceInput["creditNotes"][number], voided: Invoices) {
    const uses = voided.flatMap(({ creditNoteUses }) => creditNoteUses.filter(({ note }) => note.id === id));
    const left = minor(balanceMinor - total(uses.map(({ amountMinor }) => amountMinor)));
    const back = uses.reduce<ReturnType<typeof giveBackCreditNote>>(
      (now, { amountMinor }) => giveBackCreditNote(now, amountMinor),
      { status: left === 0n ? "consumed" : "available", balanceMinor: left },
    );
    expect(back).toEqual({ status: "available", balanceMinor });
  }

  function expectWalletBack({ id, balanceMinor }: InvoiceInput["wallets"][number], voided: Invoices) {
    const uses = voided.flatMap(({ walletUses }) => walletUses.filter(({ wallet }) => wallet.id === id));
    const consumedMinor = minor(total(uses.map(({ amountMinor }) => amountMinor)));
    const back = uses.reduce<ReturnType<typeof giveBackWallet>>((now, use) => giveBackWallet(now, use), {
      status: "active",
      balanceMinor: minor(balanceMinor - consumedMinor),
      consumedMinor,
      consumedCredits: uses.reduce((sum, { credits }) => sum.plus(credits), ZERO),
    });
    expect([back.balanceMinor, back.consumedMinor, back.consumedCredits.toFixed()]).toEqual([balanceMinor, 0n, "0"]);
  }
});
