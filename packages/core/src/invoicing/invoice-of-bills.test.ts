import { describe, expect, it, test } from "vitest";
import { currency, decimal } from "../money/index.ts";
import { Life, plan } from "../subscription/testing/life.ts";
import { COUNT, events, RECURRING_SUM } from "../usage/samples.ts";
import { type BillInput, feesOfBill, freshCoupon, type InvoiceInput, invoiceOfBills } from "./index.ts";
import { atLeast, cents, charge, inputsOf, standard, tax } from "./testing/bills.ts";

const EUR = currency("EUR");
const NOW = Temporal.Instant.from("2024-02-01T00:00:00Z");
const nothingToSpend: Omit<InvoiceInput, "fees"> = {
  id: "invoice",
  form: { type: "subscription", status: "finalized" },
  currency: EUR,
  at: NOW,
  taxes: { customer: [], organization: [] },
  coupons: [],
  creditNotes: [],
  wallets: [],
};

const noon = "2024-01-10T12:00:00Z";
const calls = charge("calls", COUNT, { price: { pricing: standard("50"), groupedBy: [] } });
const cards = charge("cards", COUNT, { price: { pricing: standard("30"), groupedBy: [] }, timing: atLeast(5000) });
const sent = { calls: events([noon]), cards: events([noon]) };

/** The last bill of a plan that began with the year, a month later. */
function billOf(given: ReturnType<typeof plan>, usage = sent): BillInput {
  const life = new Life("2024-01-01T00:00:00Z");
  life.subscribe(given);
  const input = inputsOf(life.advance("2024-02-01T00:00:00Z"), [given], usage).at(-1)?.[0];
  if (!input) throw new Error("No bill.");
  return input;
}

describe("the invoice of a bill", () => {
  const input = billOf(plan(10_000, { charges: [calls, cards] }));
  const taxes = {
    plan: [tax("10")],
    commitment: [],
    charges: new Map([
      ["calls", [tax("0")]],
      ["cards", [tax("20")]],
    ]),
  };
  const bills = [{ subscriptionId: "one", fees: feesOfBill({ ...input, taxes }) }];
  const coupon = {
    id: "coupon",
    code: "WELCOME",
    appliedAt: NOW,
    state: freshCoupon({
      value: { type: "fixed_amount", amountMinor: cents(1000), currency: EUR },
      frequency: { type: "once" },
    }),
    limit: { type: "none" },
  } as const;
  const note = {
    id: "note",
    number: "ORG-1-001-001-CN001",
    invoiceId: "other",
    currency: EUR,
    createdAt: NOW,
    balanceMinor: cents(5000),
  };
  const wallet = {
    id: "wallet",
    priority: 50,
    createdAt: NOW,
    expiresAt: null,
    currency: EUR,
    rate: decimal("1"),
    balanceMinor: cents(30_000),
  };

  it("taxes a fee, its usage and the true-up at their own levels: 1900 on 19000", () => {
    const { invoice, invoiced } = invoiceOfBills(bills, { ...nothingToSpend, coupons: [coupon] });
    expect(invoiced.map(({ fee, figures }) => [fee.key, figures.amountMinor, figures.taxesMinor])).toEqual([
      ["subscription", 10_000n, 950n],
      ["charge:calls:-:{}", 5000n, 0n],
      ["charge:cards:-:{}", 3000n, 570n],
      ["true_up:cards", 2000n, 380n],
    ]);
    expect(invoice.figures).toMatchObject({ feesMinor: 20_000n, couponsMinor: 1000n, taxesMinor: 1900n });
    expect(invoice.figures.totalMinor).toBe(20_900n);
  });

  it("is paid by credit notes and wallets, down to nothing", () => {
    const spendable = { coupons: [coupon], creditNotes: [note], wallets: [wallet] };
    const { figures, paymentStatus } = invoiceOfBills(bills, { ...nothingToSpend, ...spendable }).invoice;
    expect(figures).toMatchObject({ creditNotesMinor: 5000n, prepaidMinor: 15_900n, totalMinor: 0n });
    expect(paymentStatus).toBe("succeeded");
  });

  it("of 24 of 31 days of 5000 with 20 % is 4645", () => {
    const given = plan(5000, { isPaidInAdvance: true });
    const life = new Life("2023-01-08T00:00:00Z");
    life.subscribe(given);
    const [[starting] = []] = inputsOf(life, [given]);
    const fees = starting ? feesOfBill(starting) : [];
    const taxed = { ...nothingToSpend, taxes: { customer: [tax("20")], organization: [] } };
    const { figures } = invoiceOfBills([{ subscriptionId: "one", fees }], taxed).invoice;
    expect(figures).toMatchObject({ feesMinor: 3871n, taxesMinor: 774n, totalMinor: 4645n });
  });
});

describe("several subscriptions", () => {
  const fees = feesOfBill(billOf(plan(1000, { charges: [calls] })));

  it("share an invoice, each with its own fees", () => {
    const { invoice, invoiced } = invoiceOfBills(
      [
        { subscriptionId: "one", fees },
        { subscriptionId: "two", fees },
      ],
      nothingToSpend,
    );
    expect(invoice.figures.totalMinor).toBe(12_000n);
    expect(invoice.fees.map(({ id }) => id)).toEqual([
      "one:subscription",
      "one:charge:calls:-:{}",
      "two:subscription",
      "two:charge:calls:-:{}",
    ]);
    expect(invoiced.map(({ subscriptionId, fee }) => [subscriptionId, fee])).toEqual(
      ["one", "two"].flatMap((id) => fees.map((fee) => [id, fee])),
    );
  });

  it("are not billed twice", () =>
    expect(() =>
      invoiceOfBills(
        [
          { subscriptionId: "one", fees },
          { subscriptionId: "one", fees },
        ],
        nothingToSpend,
      ),
    ).toThrow("one bill on an invoice"));
});

test("a bill with nothing to bill is an invoice of 0 that is paid", () => {
  const { invoice } = invoiceOfBills([{ subscriptionId: "one", fees: [] }], nothingToSpend);
  expect(invoice.figures.totalMinor).toBe(0n);
  expect(invoice.paymentStatus).toBe("succeeded");
});

test("a renewal that is not invoiced is a standalone fee with its taxes", () => {
  const seats = charge("seats", RECURRING_SUM, { timing: { type: "in_advance", invoicing: "no_invoice" } });
  const held = { ...sent, seats: events([noon, { v: "5" }]) };
  const bill = { subscriptionId: "one", fees: feesOfBill(billOf(plan(100, { charges: [seats] }), held)) };
  const taxed = { ...nothingToSpend, taxes: { customer: [tax("20")], organization: [tax("5")] } };
  const { invoice, invoiced, standalone } = invoiceOfBills([bill], taxed);
  expect(invoice.figures.totalMinor).toBe(120n);
  expect(invoiced.map(({ fee }) => fee.key)).toEqual(["subscription"]);
  expect(standalone).toMatchObject([
    { subscriptionId: "one", fee: { key: "renewal:seats:-:{}", amountMinor: 500n }, taxes: { taxesMinor: 100n } },
  ]);
});
