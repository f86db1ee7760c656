import { describe, expect, it, test } from "vitest";
import { currency, decimal, exactText, minor } from "../money/index.ts";
import { type AppliedCoupon, computeInvoice, type Fee, freshCoupon, type InvoiceInput } from "./index.ts";
import { invoiceFiguresFrom } from "./invoice-derivation.ts";

const EUR = currency("EUR");
const NOW = Temporal.Instant.from("2024-02-01T00:00:00Z");
const cents = (amount: number) => minor(BigInt(amount));
const tax = (rate: string, name = "VAT") => ({ code: `${name}_${rate}`, name, rate: decimal(rate) });

const subscription = (id: string, amount: number, rate: string | null = null): Fee => ({
  id,
  label: `Plan ${id}`,
  amountMinor: cents(amount),
  item: { kind: "subscription", planCode: id, planTaxes: rate === null ? [] : [tax(rate)] },
});
const charge = (id: string, amount: number, rate: string): Fee => ({
  id,
  label: `Usage ${id}`,
  amountMinor: cents(amount),
  item: { kind: "charge", planCode: "p", metricCode: id, chargeTaxes: [tax(rate)], planTaxes: [] },
});
const fixedCoupon = (code: string, amount: number): AppliedCoupon => ({
  id: code,
  code,
  appliedAt: NOW,
  state: freshCoupon({
    value: { type: "fixed_amount", amountMinor: cents(amount), currency: EUR },
    frequency: { type: "once" },
  }),
  limit: { type: "none" },
});
const percentCoupon = (code: string, rate: string): AppliedCoupon => ({
  ...fixedCoupon(code, 1),
  state: freshCoupon({ value: { type: "percentage", rate: decimal(rate) }, frequency: { type: "forever" } }),
});
const note = (balance: number): InvoiceInput["creditNotes"][number] => ({
  id: "note",
  number: "ORG-1-002-003-CN001",
  invoiceId: "other",
  currency: EUR,
  createdAt: NOW,
  balanceMinor: cents(balance),
});
const wallet = (balance: number, rate = "1"): InvoiceInput["wallets"][number] => ({
  id: "wallet",
  priority: 50,
  createdAt: NOW,
  expiresAt: null,
  currency: EUR,
  rate: decimal(rate),
  balanceMinor: cents(balance),
});

const compute = (fees: readonly Fee[], rest: Partial<InvoiceInput> = {}) =>
  computeInvoice({
    id: "invoice",
    form: { type: "subscription", status: "finalized" },
    currency: EUR,
    at: NOW,
    fees,
    taxes: { customer: [], organization: [] },
    coupons: [],
    creditNotes: [],
    wallets: [],
    ...rest,
  });

/** Recomputes every amount from the derivation after a round trip through JSON. */
const again = (invoice: ReturnType<typeof compute>) =>
  invoiceFiguresFrom(JSON.parse(JSON.stringify(invoice.derivation)));

const everything = { coupons: [fixedCoupon("WELCOME", 1000)], creditNotes: [note(5000)], wallets: [wallet(30_000)] };
const mixed = [
  subscription("Starter", 10_000, "10"),
  charge("calls", 5000, "0"),
  charge("cards", 3000, "20"),
  charge("true-up", 2000, "20"),
];

describe("the order of computation", () => {
  const invoice = compute(mixed, everything);

  test("fees, coupons, taxes, credit notes, prepaid credits, total", () => {
    expect(invoice.figures).toEqual({
      feesMinor: 20_000n,
      couponsMinor: 1000n,
      subTotalExcludingTaxesMinor: 19_000n,
      taxesMinor: 1900n,
      subTotalIncludingTaxesMinor: 20_900n,
      creditNotesMinor: 5000n,
      prepaidMinor: 15_900n,
      totalMinor: 0n,
    });
    expect(invoice.paymentStatus).toBe("succeeded");
    expect(invoice.walletUses).toMatchObject([{ amountMinor: 15_900n, balanceMinor: 14_100n }]);
    expect(invoice.creditNoteUses).toMatchObject([{ amountMinor: 5000n, balanceMinor: 0n, status: "consumed" }]);
  });

  test("a coupon of 5 % of all leaves bases of 9500, 4750, 2850 and 1900, taxed 950, 0, 570 and 380", () => {
    expect(invoice.fees.map(({ amountMinor, couponShare }) => exactText(couponShare.minus(amountMinor)))).toEqual([
      "-9500",
      "-4750",
      "-2850",
      "-1900",
    ]);
    expect(invoice.fees.map(({ taxesMinor }) => taxesMinor)).toEqual([950n, 0n, 570n, 380n]);
    // 10 × 9500/19000 + 0 + 20 × 4750/19000
    expect(invoice.taxesRate.toFixed()).toBe("10");
    expect(compute(mixed, { coupons: everything.coupons }).figures.totalMinor).toBe(20_900n);
  });

  test("its derivation names every step", () => {
    expect(invoice.derivation).toMatchObject({
      currency: "EUR",
      coupons: [
        {
          code: "WELCOME",
          discount: { type: "fixed", amountMinor: "1000" },
          base: "20000",
          creditMinor: "1000",
          shares: [
            { remaining: "10000", share: "500" },
            { remaining: "5000", share: "250" },
            { remaining: "3000", share: "150" },
            { remaining: "2000", share: "100" },
          ],
        },
      ],
      taxes: [
        { name: "VAT", rate: "0", exact: "0" },
        { name: "VAT", rate: "10", exact: "950" },
        { name: "VAT", rate: "20", exact: "950" },
      ],
      creditNotes: [{ number: "ORG-1-002-003-CN001", balanceMinor: "5000", amountMinor: "5000" }],
      wallets: [{ rate: "1", balanceMinor: "30000", amountMinor: "15900", credits: "159" }],
      figures: {
        feesMinor: "20000",
        couponsMinor: "1000",
        subTotalExcludingTaxesMinor: "19000",
        taxesMinor: "1900",
        subTotalIncludingTaxesMinor: "20900",
        creditNotesMinor: "5000",
        prepaidMinor: "15900",
        totalMinor: "0",
      },
    });
    const { derivation } = compute([subscription("s", 100)], { coupons: [percentCoupon("P", "12.5")] });
    expect(derivation.coupons).toMatchObject([{ discount: { type: "percentage", rate: "12.5" } }]);
  });

  test("it can be recomputed from its derivation", () => expect(again(invoice)).toEqual(invoice.figures));
});

describe("the steps of a derivation", () => {
  test("a percentage names the rate and what it is taken of", () => {
    const invoice = compute([subscription("Starter", 3004, "5.5")], { coupons: [percentCoupon("TWELVE", "12.5")] });
    expect(invoice.figures).toMatchObject({ couponsMinor: 376n, taxesMinor: 145n, totalMinor: 2773n });
    expect(invoice.derivation).toMatchObject({
      fees: [{ label: "Plan Starter", amountMinor: "3004" }],
      coupons: [
        {
          code: "TWELVE",
          discount: { type: "percentage", rate: "12.5" },
          base: "3004",
          creditMinor: "376",
          shares: [{ remaining: "3004", share: "376" }],
        },
      ],
      taxes: [{ rate: "5.5", bases: [{ base: "2628" }], exact: "144.54", amountMinor: "145" }],
    });
    expect(again(invoice)).toEqual(invoice.figures);
  });

  test("several taxes on one fee bear on the same base", () => {
    const fee = subscription("Starter", 1010, "20");
    const taxes = { customer: [], organization: [] };
    const item = { ...fee.item, planTaxes: [tax("20"), tax("8.875", "City")] } as Fee["item"];
    const invoice = compute([{ ...fee, item }, subscription("Extra", 500, "20")], { taxes });
    expect(invoice.derivation.taxes.map(({ bases }) => bases)).toEqual([
      [{ feeId: "Starter", base: "1010" }],
      [
        { feeId: "Starter", base: "1010" },
        { feeId: "Extra", base: "500" },
      ],
    ]);
    expect(invoice.derivation).toMatchObject({
      taxes: [
        { name: "City", rate: "8.875", exact: "89.6375" },
        { name: "VAT", rate: "20", exact: "302" },
      ],
      figures: { taxesMinor: "392", totalMinor: "1902" },
    });
  });

  test("what has no last decimal is kept as a fraction", () => {
    const fees = [subscription("a", 1000, "10"), subscription("b", 2000, "10")];
    const jpy = currency("JPY");
    const invoice = compute(fees, {
      currency: jpy,
      coupons: [percentCoupon("HALF", "33.35")],
      wallets: [{ ...wallet(7, "3"), currency: jpy }],
    });
    expect(invoice.derivation).toMatchObject({
      coupons: [
        {
          base: "3000",
          creditMinor: "1001",
          shares: [
            { feeId: "a", share: "1001/3" },
            { feeId: "b", share: "2002/3" },
          ],
        },
      ],
      taxes: [{ exact: "199.9", amountMinor: "200" }],
      wallets: [{ credits: "2.33333", rate: "3", amountMinor: "7" }],
      figures: { feesMinor: "3000", totalMinor: "2192" },
    });
    expect(again(invoice)).toEqual(invoice.figures);
  });

  test("nothing to bill is a bill of nothing", () => {
    const { derivation } = compute([]);
    expect(derivation).toMatchObject({ fees: [], coupons: [], taxes: [], creditNotes: [], wallets: [] });
    expect(Object.values(derivation.figures).every((amount) => amount === "0")).toBe(true);
  });
});

test("taxes stand on exact coupon shares: 1889.41 is 1889, where rounded fee taxes sum to 1887", () => {
  const fees = ["one", "two"].flatMap((plan) =>
    [1000, 2000, 3000, 4000].map(
      (amount, index): Fee => ({
        id: `${plan}-${index}`,
        label: `${plan}-${index}`,
        amountMinor: cents(amount),
        item: {
          kind: "charge",
          planCode: plan,
          metricCode: `${plan}-${index}`,
          chargeTaxes: [tax(amount === 2000 ? "20" : "10")],
          planTaxes: [],
        },
      }),
    ),
  );
  const coupons = [
    { ...fixedCoupon("C1", 2000), limit: { type: "metrics", codes: ["one-0", "one-1"] } as const },
    { ...fixedCoupon("C2", 1000), limit: { type: "plans", codes: ["two"] } as const },
    fixedCoupon("C3", 500),
  ];
  const invoice = compute(fees, { coupons });
  expect(invoice.figures).toMatchObject({
    feesMinor: 20_000n,
    couponsMinor: 3500n,
    subTotalExcludingTaxesMinor: 16_500n,
    taxesMinor: 1889n,
  });
  expect(invoice.fees.reduce((sum, { taxesMinor }) => sum + taxesMinor, 0n)).toBe(1887n);
  // 1410.588… + 478.823… = 1889.41…
  expect(invoice.derivation.taxes.map(({ exact }) => exact)).toEqual(["23980/17", "8140/17"]);
  expect(again(invoice)).toEqual(invoice.figures);
});

describe("what an invoice spends depends on what it is", () => {
  const spent = (form: InvoiceInput["form"]) => {
    const invoice = compute([subscription("s", 10_000, "20")], { ...everything, form });
    const { couponUses, creditNoteUses, walletUses } = invoice;
    return { uses: couponUses.length + creditNoteUses.length + walletUses.length, figures: invoice.figures };
  };

  test("a subscription invoice being finalized spends coupons, credit notes and prepaid credits", () => {
    const { uses, figures } = spent({ type: "subscription", status: "finalized" });
    expect(uses).toBe(3);
    expect(figures).toMatchObject({
      couponsMinor: 1000n,
      creditNotesMinor: 5000n,
      prepaidMinor: 5800n,
      totalMinor: 0n,
    });
  });

  it.each<[string, InvoiceInput["form"]]>([
    ["a draft", { type: "subscription", status: "draft" }],
    ["a one-off invoice", { type: "one_off", status: "finalized" }],
    ["a purchase of credits", { type: "credit", status: "finalized" }],
  ])("%s spends nothing, and shows fees and taxes only", (_, form) => {
    const { uses, figures } = spent(form);
    expect(uses).toBe(0);
    expect(figures).toMatchObject({
      feesMinor: 10_000n,
      couponsMinor: 0n,
      taxesMinor: 2000n,
      creditNotesMinor: 0n,
      prepaidMinor: 0n,
      totalMinor: 12_000n,
    });
  });

  test("purchased credits bear no tax, whatever the customer's taxes are", () => {
    const fee: Fee = { id: "c", label: "Credits", amountMinor: cents(1000), item: { kind: "credit" } };
    const invoice = compute([fee], {
      form: { type: "credit", status: "finalized" },
      taxes: { customer: [tax("20")], organization: [tax("10")] },
    });
    expect(invoice.figures).toMatchObject({ taxesMinor: 0n, totalMinor: 1000n });
    expect(invoice.paymentStatus).toBe("pending");
  });

  test("customer taxes reach fees without taxes of their own", () => {
    const invoice = compute([subscription("s", 1000)], { taxes: { customer: [tax("20")], organization: [tax("10")] } });
    expect(invoice.fees[0]).toMatchObject({ taxesMinor: 200n, totalMinor: 1200n });
    expect(invoice.fees[0]?.taxesRate.toFixed()).toBe("20");
  });
});

describe("what remains to pay", () => {
  it.each([
    ["nothing was billed", [], {}, { totalMinor: 0n, paymentStatus: "succeeded" }],
    [
      "a coupon took all",
      [1000],
      { coupons: [fixedCoupon("C", 1000)] },
      { totalMinor: 0n, paymentStatus: "succeeded" },
    ],
    ["a note paid all", [1000], { creditNotes: [note(2000)] }, { totalMinor: 0n, paymentStatus: "succeeded" }],
    ["a wallet paid all", [1000], { wallets: [wallet(1000)] }, { totalMinor: 0n, paymentStatus: "succeeded" }],
    ["one cent is left", [1000], { wallets: [wallet(999)] }, { totalMinor: 1n, paymentStatus: "pending" }],
  ])("%s", (_, amounts, rest, { totalMinor, paymentStatus }) => {
    const invoice = compute(
      amounts.map((amount, index) => subscription(`s${index}`, amount)),
      rest,
    );
    expect(invoice.figures.totalMinor).toBe(totalMinor);
    expect(invoice.paymentStatus).toBe(paymentStatus);
  });

  test("an upgrade's credit pays on the invoice of the upgrade", () => {
    const invoice = compute([subscription("b", 10_968, "20")], { creditNotes: [note(6581)] });
    expect(invoice.figures).toMatchObject({ taxesMinor: 2194n, creditNotesMinor: 6581n, totalMinor: 6581n });
  });

  test("a coupon, a note and a wallet together", () => {
    const invoice = compute([subscription("s", 3100)], {
      coupons: [fixedCoupon("C", 500)],
      creditNotes: [note(400)],
      wallets: [wallet(1000)],
    });
    expect(invoice.figures).toMatchObject({
      couponsMinor: 500n,
      subTotalExcludingTaxesMinor: 2600n,
      creditNotesMinor: 400n,
      prepaidMinor: 1000n,
      totalMinor: 1200n,
    });
  });

  test("a wallet that expires at the instant of the invoice pays nothing", () => {
    const invoice = compute([subscription("s", 300)], { wallets: [{ ...wallet(1000), expiresAt: NOW }] });
    expect(invoice.figures.prepaidMinor).toBe(0n);
  });

  test("a note of the invoice itself pays nothing", () => {
    const invoice = compute([subscription("s", 300)], { id: "other", creditNotes: [note(1000)] });
    expect(invoice.figures.creditNotesMinor).toBe(0n);
  });
});
