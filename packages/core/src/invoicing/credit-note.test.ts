import { describe, expect, it, test } from "vitest";
import { currency, decimal, type Fraction, fraction, minor, truncateTo } from "../money/index.ts";
import { creditLimits } from "./compute-credit-note.ts";
import { noteFiguresFrom } from "./credit-note-derivation.ts";
import {
  type CreditableInvoice,
  type CreditNote,
  computeCreditNote,
  creditForUnused,
  estimateCreditNote,
  refundForPurchase,
} from "./index.ts";

const EUR = currency("EUR");
const cents = (amount: number) => minor(BigInt(amount));
const vat = (rate: string) => ({ code: "vat", name: "VAT", rate: decimal(rate) });

/** A fee by id, amount, tax rate and coupon share. */
const fee = (
  id: string,
  amount: number,
  rate = "0",
  couponShare: Fraction | bigint = 0n,
): CreditableInvoice["fees"][number] => ({
  id,
  label: `Fee ${id}`,
  amountMinor: cents(amount),
  couponShare: fraction(couponShare),
  taxes: rate === "0" ? [] : [vat(rate)],
  creditedMinor: cents(0),
});

/** An invoice over fees, with the figures it was issued with. */
function invoice(
  fees: readonly CreditableInvoice["fees"][number][],
  taxes: number,
  {
    coupons = 0,
    creditNotes = 0,
    prepaid = 0,
    ...rest
  }: Partial<CreditableInvoice> & { coupons?: number; creditNotes?: number; prepaid?: number } = {},
): CreditableInvoice {
  const feesMinor = fees.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
  const excluding = feesMinor - BigInt(coupons);
  const including = excluding + BigInt(taxes);
  return {
    currency: EUR,
    status: "finalized",
    isPaid: false,
    writtenOffMinor: cents(0),
    source: { type: "subscription" },
    fees,
    figures: {
      feesMinor: minor(feesMinor),
      couponsMinor: cents(coupons),
      subTotalExcludingTaxesMinor: minor(excluding),
      taxesMinor: cents(taxes),
      subTotalIncludingTaxesMinor: minor(including),
      creditNotesMinor: cents(creditNotes),
      prepaidMinor: cents(prepaid),
      totalMinor: minor(including - BigInt(creditNotes) - BigInt(prepaid)),
    },
    taxLines: fees
      .flatMap(({ taxes: [tax] }) => (tax ? [tax] : []))
      .slice(0, 1)
      .map((tax) => ({ tax, amountMinor: cents(taxes) })),
    earlierNotes: [],
    ...rest,
  };
}

/** The invoice after a note on it. */
const after = (before: CreditableInvoice, note: CreditNote): CreditableInvoice => ({
  ...before,
  fees: before.fees.map((fee) => {
    const items = note.items.filter(({ feeId }) => feeId === fee.id);
    const credited = items.reduce((sum, { amountMinor }) => sum + amountMinor, fee.creditedMinor as bigint);
    return { ...fee, creditedMinor: minor(credited) };
  }),
  earlierNotes: [...before.earlierNotes, note],
});

const items = (requested: Record<string, number>) =>
  Object.entries(requested).map(([feeId, amount]) => ({ feeId, amountMinor: cents(amount) }));

const queried = (on: CreditableInvoice, target: Record<string, number>, credit: number, refund = 0) =>
  computeCreditNote(on, { items: items(target), creditMinor: cents(credit), refundMinor: cents(refund) });

function accepted(...[on, wanted, credit, refund]: Parameters<typeof queried>): CreditNote {
  const note = queried(on, wanted, credit, refund);
  if (!note.ok) throw new Error(JSON.stringify(note.error));
  return note.value;
}

const again = (note: CreditNote) => noteFiguresFrom(JSON.parse(JSON.stringify(note.derivation)));
const figures = ({ couponsMinor, subTotalExcludingTaxesMinor, taxesMinor, totalMinor }: CreditNote) =>
  [couponsMinor, subTotalExcludingTaxesMinor, taxesMinor, totalMinor].map(Number);

describe("what a note comes to", () => {
  test("half a fee of 10000 with a coupon of 1000 and 10 % gives back 4500 and 450", () => {
    const note = accepted(invoice([fee("a", 10_000, "10", 1000n)], 900, { coupons: 1000 }), { a: 5000 }, 4950);
    expect(figures(note)).toEqual([500, 4500, 450, 4950]);
    expect(note).toMatchObject({ creditMinor: 4950n, creditStatus: "available", refundMinor: 0n, refundStatus: null });
    expect(note.items).toMatchObject([{ feeId: "a", amountMinor: 5000n }]);
    expect(note.taxLines).toMatchObject([{ baseMinor: 4500n, amountMinor: 450n }]);
    expect(note.taxesRate.toFixed()).toBe("10");
    expect(again(note)).toEqual({
      couponsMinor: 500n,
      subTotalExcludingTaxesMinor: 4500n,
      taxesMinor: 450n,
      totalMinor: 4950n,
    });
    expect(note.derivation).toMatchObject({
      currency: "EUR",
      items: [
        { label: "Fee a", amount: "5000", feeAmountMinor: "10000", couponShare: "1000", taxes: [{ rate: "10" }] },
      ],
      isRest: false,
      figures: { couponsMinor: "500", subTotalExcludingTaxesMinor: "4500", taxesMinor: "450", totalMinor: "4950" },
    });
  });

  test("of several fees the taxes are rounded once, and the rate is weighed", () => {
    const fees = [fee("a", 1000, "10"), fee("b", 1000, "20"), fee("c", 1000)];
    const note = accepted(invoice(fees, 300), { a: 5, b: 5, c: 10 }, 22);
    // 0.5 + 1 = 1.5 of taxes; (10 × 5 + 20 × 5) / 20
    expect(figures(note)).toEqual([0, 20, 2, 22]);
    expect(note.taxesRate.toFixed()).toBe("7.5");
  });

  test("a fee of 0 can be named, and gives nothing back", () => {
    const note = accepted(invoice([fee("a", 0, "10"), fee("b", 100, "10")], 10), { a: 0, b: 50 }, 55);
    expect(figures(note)).toEqual([0, 50, 5, 55]);
  });

  describe("the total is the sum of what is shown, and a cent is borne by the credit", () => {
    const month = (amount: number, taxes: number) => invoice([fee("a", amount, "25")], taxes);
    const unused = (amount: number) => truncateTo(fraction(BigInt(amount)).times(29n).over(30n), 5);
    it.each([
      ["down: 19333.33 + 4833.33", 20_000, 5000, [0, 19_333, 4833, 24_166]],
      ["up: 15466.67 + 3866.67", 16_000, 4000, [0, 15_467, 3867, 19_334]],
    ])("%s", (_, amount, taxes, expected) => {
      const note = creditForUnused(month(amount, taxes), [{ feeId: "a", amount: unused(amount) }]);
      expect(note && figures(note)).toEqual(expected);
      expect(note?.creditMinor).toBe(BigInt(expected[3] ?? 0));
      expect(note && again(note)).toMatchObject({ totalMinor: BigInt(expected[3] ?? 0) });
    });
  });
});

describe("the notes of an invoice sum to the invoice", () => {
  test("the last one bears the rounding of the taxes of the others", () => {
    const fees = [fee("a", 6833, "20"), fee("b", 6833, "20"), fee("c", 5750, "20"), fee("d", 8500, "20")];
    let open = invoice(fees, 5583);
    expect(open.figures.totalMinor).toBe(33_499n);
    const totals = [
      { requested: { a: 6833 }, expected: [0, 6833, 1367, 8200] },
      { requested: { c: 5750 }, expected: [0, 5750, 1150, 6900] },
      { requested: { d: 8500 }, expected: [0, 8500, 1700, 10_200] },
      { requested: { b: 6833 }, expected: [0, 6833, 1366, 8199] },
    ];
    const notes = totals.map(({ requested: wanted, expected }) => {
      const note = accepted(open, wanted, expected[3] ?? 0);
      expect(figures(note)).toEqual(expected);
      expect(again(note)).toMatchObject({ totalMinor: note.totalMinor });
      open = after(open, note);
      return note;
    });
    expect(notes.reduce((sum, { totalMinor }) => sum + totalMinor, 0n)).toBe(33_499n);
    expect(notes.at(-1)?.taxLines).toMatchObject([{ baseMinor: 6833n, amountMinor: 1366n }]);
    expect(notes.at(-1)?.derivation).toMatchObject({
      items: [{ label: "Fee b", amount: "6833", feeAmountMinor: "6833", couponShare: "0", taxes: [{ rate: "20" }] }],
      remaining: { subTotalExcludingTaxesMinor: "6833", taxesMinor: "1366" },
      isRest: true,
      figures: { subTotalExcludingTaxesMinor: "6833", taxesMinor: "1366", totalMinor: "8199" },
    });
    expect(queried(open, { a: 1 }, 1)).toEqual({
      ok: false,
      error: { type: "invalid", faults: { amount_cents: ["higher_than_remaining_fee_amount"] } },
    });
  });

  test("the last one bears the rounding of the coupons of the others", () => {
    const third = fraction(100n).over(3n);
    let open = invoice([fee("a", 1000, "0", third), fee("b", 1000, "0", third), fee("c", 1000, "0", third)], 0, {
      coupons: 100,
    });
    const totals = [967, 967, 966].map((expected, index) => {
      const note = accepted(open, { [["a", "b", "c"][index] ?? ""]: 1000 }, expected);
      open = after(open, note);
      return figures(note);
    });
    expect(totals).toEqual([
      [33, 967, 0, 967],
      [33, 967, 0, 967],
      [34, 966, 0, 966],
    ]);
  });

  test("no note takes more of a figure than the others left: ten cents at 50 % bear 5 of taxes, not 10", () => {
    const ids = [..."abcdefghij"];
    let open = invoice(
      ids.map((id) => fee(id, 1, "50")),
      5,
    );
    const taxes = ids.map((id) => {
      const note = accepted(open, { [id]: 1 }, 1);
      open = after(open, note);
      expect(note.taxLines[0]?.amountMinor).toBe(note.taxesMinor);
      return Number(note.taxesMinor);
    });
    expect(taxes).toEqual([1, 1, 1, 1, 1, 0, 0, 0, 0, 0]);
  });

  test("one note for everything is the invoice", () => {
    const note = accepted(
      invoice([fee("a", 6833, "20"), fee("b", 8500, "20", 1000n)], 2867, { coupons: 1000 }),
      { a: 6833, b: 8500 },
      17_200,
    );
    expect(figures(note)).toEqual([1000, 14_333, 2867, 17_200]);
  });
});

describe("credit and refund", () => {
  const paid = invoice([fee("a", 10_000, "20")], 2000, { isPaid: true, creditNotes: 2000, prepaid: 3000 });

  test("what is creditable is what earlier notes left; refundable is what was paid in money", () => {
    expect(creditLimits(paid)).toEqual({ remainingMinor: 12_000n, creditableMinor: 12_000n, refundableMinor: 7000n });
    const once = after(paid, accepted(paid, { a: 2500 }, 3000));
    expect(creditLimits(once)).toEqual({ remainingMinor: 9000n, creditableMinor: 9000n, refundableMinor: 4000n });
    const twice = after(once, accepted(once, { a: 5000 }, 6000));
    expect(creditLimits(twice)).toEqual({ remainingMinor: 3000n, creditableMinor: 3000n, refundableMinor: 0n });
    expect(creditLimits({ ...paid, isPaid: false }).refundableMinor).toBe(0n);
    const byOneCent = invoice([fee("a", 100)], 0, { isPaid: true, prepaid: 99 });
    expect(creditLimits(byOneCent).refundableMinor).toBe(1n);
    expect(creditLimits({ ...paid, writtenOffMinor: cents(6000) })).toEqual({
      remainingMinor: 12_000n,
      creditableMinor: 12_000n,
      refundableMinor: 1000n,
    });
  });

  it.each([
    ["credit", 12_000, 0, [12_000n, "available", 0n, null]],
    ["refund", 0, 600, [0n, null, 600n, "pending"]],
    ["both", 400, 200, [400n, "available", 200n, "pending"]],
  ])("%s", (_, credit, refund, expected) => {
    const note = accepted(paid, { a: credit + refund === 600 ? 500 : 10_000 }, credit, refund);
    expect([note.creditMinor, note.creditStatus, note.refundMinor, note.refundStatus]).toEqual(expected);
  });

  describe("a cent more or less than the items come to is accepted, and credit and refund follow the items", () => {
    const open = invoice([fee("a", 1000)], 0, { isPaid: true });
    it.each([
      [100, 0, [100n, 0n]],
      [99, 0, [100n, 0n]],
      [101, 0, [100n, 0n]],
      [0, 99, [0n, 100n]],
      [0, 101, [0n, 100n]],
      [60, 40, [60n, 40n]],
      [59, 40, [60n, 40n]],
      [61, 40, [60n, 40n]],
      [1, 100, [0n, 100n]],
    ])("credit %i and refund %i of 100", (credit, refund, expected) => {
      const note = accepted(open, { a: 100 }, credit, refund);
      expect([note.creditMinor, note.refundMinor]).toEqual(expected);
      expect(note.totalMinor).toBe(100n);
    });

    it.each([[98], [102]])("credit %i of 100 is refused with the amount that is expected", (credit) => {
      const error = { type: "invalid", faults: { base: ["does_not_match_item_amounts"] }, expectedMinor: 100n };
      expect(queried(open, { a: 100 }, credit)).toEqual({ ok: false, error });
    });

    // A third of the fee was discounted, and it is taxed at 100 %: two cents of it are 1.33 and 1.33 of taxes.
    const thirds = invoice([fee("a", 300, "100", 100n)], 200, { coupons: 100 });
    it.each([
      [2, true],
      [3, true],
      [4, true],
      [1, false],
      [5, false],
    ])("of 1.33 + 1.33 the exact sum of 3 is expected, within a cent: %i", (credit, isAccepted) => {
      const note = queried(thirds, { a: 2 }, credit);
      expect(note.ok).toBe(isAccepted);
      if (note.ok) expect(note.value).toMatchObject({ totalMinor: 2n, creditMinor: 2n });
    });

    test("no more is refunded than the items come to", () => {
      const note = accepted({ ...thirds, isPaid: true }, { a: 2 }, 1, 3);
      expect(note).toMatchObject({ totalMinor: 2n, creditMinor: 0n, creditStatus: null, refundMinor: 2n });
    });
  });
});

describe("refusals, with the codes of the API", () => {
  const open = invoice([fee("a", 5000), fee("b", 5000)], 0);
  const invalid = (faults: Record<string, string[]>) => ({ ok: false, error: { type: "invalid", faults } });
  const tooHighForFee = invalid({ amount_cents: ["higher_than_remaining_fee_amount"] });

  test("an item above what is left of its fee", () => {
    expect(queried(open, { a: 5001 }, 5001)).toEqual(tooHighForFee);
    expect(queried(open, { a: 5000 }, 5000).ok).toBe(true);
    const partly = after(open, accepted(open, { a: 4000 }, 4000));
    expect(queried(partly, { a: 1001 }, 1001)).toEqual(tooHighForFee);
    expect(queried(partly, { a: 1000 }, 1000).ok).toBe(true);
  });

  test("two items that are together above what is left of their fee", () => {
    const twice = [
      { feeId: "a", amountMinor: cents(3000) },
      { feeId: "a", amountMinor: cents(2001) },
    ];
    expect(computeCreditNote(open, { items: twice, creditMinor: cents(5001), refundMinor: cents(0) })).toEqual(
      tooHighForFee,
    );
    expect(estimateCreditNote(open, twice)).toEqual(tooHighForFee);
  });

  test("an item below zero, even if others make up for it", () => {
    expect(queried(open, { a: -1, b: 2 }, 1)).toEqual(invalid({ amount_cents: ["invalid_value"] }));
    expect(queried(open, { a: -1, b: 5001 }, 5000)).toEqual(
      invalid({ amount_cents: ["invalid_value", "higher_than_remaining_fee_amount"] }),
    );
  });

  test("a fee of another invoice", () => {
    expect(queried(open, { x: 1 }, 1)).toEqual({
      ok: false,
      error: { type: "not_found", code: "fee_not_found", feeIds: ["x"] },
    });
    expect(queried(open, { a: 1, x: 1 }, 2)).toMatchObject({ error: { code: "fee_not_found" } });
  });

  const notAllowed = { ok: false, error: { type: "not_allowed", code: "invalid_type_or_status" } };
  it.each(["draft", "voided"] as const)("an invoice that is %s", (status) => {
    expect(queried({ ...open, status }, { a: 1 }, 1)).toEqual(notAllowed);
    expect(estimateCreditNote({ ...open, status }, items({ a: 1 }))).toEqual(notAllowed);
  });

  test("nothing", () => {
    expect(queried(open, { a: 0 }, 0)).toEqual(invalid({ base: ["total_amount_must_be_positive"] }));
    expect(queried(open, {}, 0)).toEqual(invalid({ base: ["total_amount_must_be_positive"] }));
    // One cent is within the tolerance, but the items come to nothing.
    expect(queried(open, { a: 0 }, 1)).toEqual(invalid({ base: ["total_amount_must_be_positive"] }));
    expect(queried(open, { a: 1 }, 0)).toEqual(invalid({ base: ["total_amount_must_be_positive"] }));
  });

  test("a refund of what is not paid", () => {
    expect(queried(open, { a: 1 }, 0, 1)).toEqual(invalid({ refund_amount_cents: ["cannot_refund_unpaid_invoice"] }));
    expect(queried(open, { a: 1000 }, 0, 1000)).toEqual(
      invalid({ refund_amount_cents: ["cannot_refund_unpaid_invoice"] }),
    );
    const refunded = accepted({ ...open, isPaid: true }, { a: 1000 }, 0, 1000);
    expect(refunded).toMatchObject({
      refundMinor: 1000n,
      refundStatus: "pending",
      creditMinor: 0n,
      creditStatus: null,
    });
  });

  test("a refund of more than was paid in money; a cent more is credited instead", () => {
    const paid = invoice([fee("a", 10_000)], 0, { isPaid: true, prepaid: 4000 });
    expect(queried(paid, { a: 6002 }, 0, 6002)).toEqual(
      invalid({ refund_amount_cents: ["higher_than_remaining_invoice_amount"] }),
    );
    expect(accepted(paid, { a: 6001 }, 0, 6001)).toMatchObject({ refundMinor: 6000n, creditMinor: 1n });
    expect(accepted(paid, { a: 6000 }, 0, 6000)).toMatchObject({ refundMinor: 6000n, creditMinor: 0n });
    expect(accepted(paid, { a: 10_000 }, 4000, 6000)).toMatchObject({ refundMinor: 6000n, creditMinor: 4000n });
  });

  test("more than is left of the invoice", () => {
    const left = after(open, accepted(open, { a: 5000 }, 5000));
    expect(queried(left, { b: 5000 }, 5001).ok).toBe(true);
    const faults = {
      credit_amount_cents: ["higher_than_remaining_invoice_amount"],
      base: ["higher_than_remaining_invoice_amount", "does_not_match_item_amounts"],
    };
    const error = { type: "invalid", faults, expectedMinor: 5000n };
    expect(queried(left, { b: 5000 }, 5002)).toEqual({ ok: false, error });
  });

  test("credit or refund below zero, even if the sum is right", () => {
    const paid = { ...open, isPaid: true };
    expect(queried(paid, { a: 1000 }, -500, 1500)).toEqual(invalid({ credit_amount_cents: ["value_is_out_of_range"] }));
    expect(queried(paid, { a: 1000 }, 1500, -500)).toEqual(invalid({ refund_amount_cents: ["value_is_out_of_range"] }));
  });
});

describe("purchased credits", () => {
  const purchase = (isPaid: boolean, balance: number) =>
    invoice([fee("credits", 1000)], 0, { isPaid, source: { type: "credit", lotMinor: cents(balance) } });

  test("can be given back once they are paid, in money, up to what is left in the wallet", () => {
    expect(queried(purchase(false, 1000), { credits: 1 }, 1)).toMatchObject({
      error: { code: "invalid_type_or_status" },
    });
    expect(creditLimits(purchase(false, 1000)).refundableMinor).toBe(0n);
    expect(creditLimits(purchase(true, 600))).toEqual({
      remainingMinor: 1000n,
      creditableMinor: 0n,
      refundableMinor: 600n,
    });
    expect(creditLimits(purchase(true, 2000)).refundableMinor).toBe(1000n);
    expect(accepted(purchase(true, 600), { credits: 600 }, 0, 600)).toMatchObject({
      refundMinor: 600n,
      creditMinor: 0n,
    });
  });

  test("paid for a wallet that has ended they go back whatever it holds", () => {
    const [first, second] = [purchase(true, 0), purchase(true, 0)];
    expect(refundForPurchase(first, cents(1000))).toMatchObject({
      totalMinor: 1000n,
      refundMinor: 1000n,
      creditMinor: 0n,
    });
    const note = refundForPurchase(second, cents(200));
    expect(note).toMatchObject({ refundMinor: 200n, refundStatus: "pending", creditStatus: null });
    expect(note.items).toMatchObject([{ feeId: "credits", amountMinor: 200n }]);
  });

  test("not a cent above it, and not as credit", () => {
    expect(queried(purchase(true, 600), { credits: 601 }, 0, 601)).toMatchObject({
      error: { faults: { refund_amount_cents: ["higher_than_remaining_invoice_amount"] } },
    });
    expect(queried(purchase(true, 600), { credits: 1 }, 1)).toMatchObject({
      error: { faults: { credit_amount_cents: ["higher_than_remaining_invoice_amount"] } },
    });
    expect(queried(purchase(true, 600), { credits: 5 }, 0, 6)).toMatchObject({
      error: { faults: { base: ["does_not_match_item_amounts"] } },
    });
  });
});

describe("estimates", () => {
  test("show what the items come to, and how much of it may be refunded", () => {
    const paid = invoice([fee("a", 10_000, "10", 1000n)], 900, { coupons: 1000, isPaid: true, prepaid: 7000 });
    expect(estimateCreditNote(paid, items({ a: 5000 }))).toMatchObject({
      ok: true,
      value: {
        couponsMinor: 500n,
        subTotalExcludingTaxesMinor: 4500n,
        taxesMinor: 450n,
        maxCreditableMinor: 4950n,
        maxRefundableMinor: 2900n,
        taxLines: [{ baseMinor: 4500n, amountMinor: 450n }],
      },
    });
    const small = estimateCreditNote(paid, items({ a: 1000 }));
    expect(small).toMatchObject({ value: { maxCreditableMinor: 990n, maxRefundableMinor: 990n } });
    expect(estimateCreditNote({ ...paid, isPaid: false }, items({ a: 5000 }))).toMatchObject({
      value: { maxCreditableMinor: 4950n, maxRefundableMinor: 0n },
    });
  });

  test("of purchased credits nothing may be credited", () => {
    const source = { type: "credit", lotMinor: cents(400) } as const;
    const estimate = estimateCreditNote(invoice([fee("a", 1000)], 0, { isPaid: true, source }), items({ a: 1000 }));
    expect(estimate).toMatchObject({ value: { maxCreditableMinor: 0n, maxRefundableMinor: 400n } });
  });
});

describe("the credit for unused days", () => {
  const dayPrice = (amount: number, days: number, period: number) =>
    truncateTo(fraction(BigInt(amount)).times(BigInt(days)).over(BigInt(period)), 5);

  it.each([
    ["20 of 28 days of 5000 at 20 %", [3750, 750], dayPrice(5000, 20, 28), [3571, 714, 4285]],
    ["3 of 28 days of 5000 at 20 %", [5000, 1000], dayPrice(5000, 3, 28), [536, 107, 643]],
    ["17 of 31 days of 10000 at 20 %", [10_000, 2000], dayPrice(10_000, 17, 31), [5484, 1097, 6581]],
  ])("%s", (_, [amount = 0, taxes = 0], unused, expected) => {
    const note = creditForUnused(invoice([fee("a", amount, "20")], taxes), [{ feeId: "a", amount: unused }]);
    expect([note?.subTotalExcludingTaxesMinor, note?.taxesMinor, note?.totalMinor].map(Number)).toEqual(expected);
    expect(note).toMatchObject({ creditMinor: note?.totalMinor, refundMinor: 0n, creditStatus: "available" });
    expect(note?.items).toMatchObject([{ feeId: "a", amountMinor: BigInt(expected[0] ?? 0) }]);
    expect(note?.items[0]?.amount.toFixed()).toBe(unused.toFixed());
  });

  it.each([
    ["all of it, if the invoice is paid in money", { isPaid: true }, [0, 1600]],
    ["what was paid in money beyond the credit that is left", { isPaid: true, prepaid: 2000 }, [500, 1100]],
    ["nothing, if the invoice is not paid", {}, [1600, 0]],
    ["nothing, if all was paid with credit", { isPaid: true, prepaid: 3100 }, [1600, 0]],
  ])("is refunded on request: %s", (_, paid, [credit = 0, refund = 0]) => {
    const items = [{ feeId: "a", amount: dayPrice(3100, 16, 31) }];
    expect(creditForUnused(invoice([fee("a", 3100)], 0, paid), items, true)).toMatchObject({
      creditMinor: BigInt(credit),
      creditStatus: credit === 0 ? null : "available",
      refundMinor: BigInt(refund),
      refundStatus: refund === 0 ? null : "pending",
    });
  });

  test("16 of 31 days of 3100 without taxes are 1600", () => {
    const note = creditForUnused(invoice([fee("a", 3100)], 0), [{ feeId: "a", amount: dayPrice(3100, 16, 31) }]);
    expect(note?.totalMinor).toBe(1600n);
  });

  test("all of a fee on a draft invoice gives back the draft's figures", () => {
    const draft = invoice([fee("a", 333, "7.7")], 26, { status: "draft" });
    expect(creditForUnused(draft, [{ feeId: "a", amount: 333n }])).toMatchObject({ taxesMinor: 26n, totalMinor: 359n });
  });

  test("nothing, where coupons had paid for everything", () => {
    const free = invoice([fee("a", 1000, "20", 1000n)], 0, { coupons: 1000 });
    expect(creditForUnused(free, [{ feeId: "a", amount: dayPrice(1000, 1, 3) }])).toBeNull();
  });

  test("a fee of another invoice is a mistake of the caller", () => {
    expect(() => creditForUnused(invoice([fee("a", 1)], 0), [{ feeId: "x", amount: 1n }])).toThrow(
      "not on the invoice",
    );
  });

  test("nothing, where nothing is unused", () => {
    expect(creditForUnused(invoice([fee("a", 1000)], 0), [{ feeId: "a", amount: 0n }])).toBeNull();
  });

  test("two credits of half cents never come to more than their fee", () => {
    const open = invoice([fee("a", 21)], 0);
    const first = creditForUnused(open, [{ feeId: "a", amount: decimal("10.5") }]);
    expect(first).toMatchObject({ totalMinor: 11n, items: [{ amountMinor: 11n }] });
    const second = creditForUnused(after(open, first as CreditNote), [{ feeId: "a", amount: decimal("10.5") }]);
    expect(second).toMatchObject({ totalMinor: 10n, items: [{ amountMinor: 10n }] });
  });
});

test("what is left of one tax says nothing about another", () => {
  const city = { code: "city", name: "City", rate: decimal("10") };
  const taxed = { ...fee("a", 1000, "20"), taxes: [vat("20"), city] };
  const earlier = {
    couponsMinor: cents(0),
    subTotalExcludingTaxesMinor: cents(0),
    taxesMinor: cents(95),
    totalMinor: cents(95),
  };
  const note = estimateCreditNote(
    invoice([taxed], 300, {
      taxLines: [
        { tax: vat("20"), amountMinor: cents(200) },
        { tax: city, amountMinor: cents(100) },
      ],
      earlierNotes: [{ ...earlier, taxLines: [{ tax: city, amountMinor: cents(95) }] }],
    }),
    [{ feeId: "a", amountMinor: cents(500) }],
  );
  const lines = note.ok ? note.value.taxLines.map(({ tax, amountMinor }) => [tax.code, amountMinor]) : [];
  expect(new Map(lines as [string, bigint][])).toEqual(
    new Map([
      ["vat", 100n],
      ["city", 5n],
    ]),
  );
});
