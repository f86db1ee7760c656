// The oracle of a customer's invoices against examples that were computed by hand.

import { describe, expect, it } from "vitest";
import type { CustomerCase, CustomerFee, Step } from "../../prove/oracle/customer-case.ts";
import { oracleCustomer } from "../../prove/oracle/index.ts";

const nobody: CustomerCase = {
  digits: 2,
  customerTaxes: [],
  organizationTaxes: [],
  coupons: [],
  notes: [],
  wallets: [],
  steps: [],
};
const fee = (cents: number, rate?: string): CustomerFee => ({
  kind: "charge",
  cents: String(cents),
  planCode: "starter",
  metricCode: "calls",
  ownTaxes: rate === undefined ? [] : [{ code: `vat-${rate}`, rate }],
  planTaxes: [],
});
const bill = (...fees: CustomerFee[]): Step => ({ do: "bill", form: "finalized", fees });
const credit = (...thousandths: number[]): Step => ({
  do: "credit",
  invoice: 0,
  parts: thousandths.map((share, index) => ({ fee: index, thousandths: share })).filter((part) => part.thousandths > 0),
  refundThousandths: 0,
  missesBy: 0,
});
const coupon = {
  kind: "fixed" as const,
  frequency: "once" as const,
  appliedAt: 1,
  planCodes: null,
  metricCodes: null,
  isForeign: false,
};
const note = { at: 1, isForeign: false, invoice: null };
const wallet = { priority: 1, at: 1, rate: "1", isForeign: false, expiresAt: null };

type Published = {
  answer: { total: bigint; coupons: bigint; note: { total: bigint; credit: bigint } };
  holdings: Record<"coupons" | "notes" | "wallets", Record<string, unknown>[]>;
};
const published = (given: Partial<CustomerCase>): Published[] => oracleCustomer({ ...nobody, ...given }) as Published[];

describe("an invoice", () => {
  it("goes through coupons, taxes on four levels, credit notes and prepaid credits", () => {
    const plan = { ...fee(5000), planTaxes: [{ code: "none", rate: "0" }] };
    const [made] = published({
      customerTaxes: [{ code: "vat-20", rate: "20" }],
      organizationTaxes: [{ code: "never", rate: "99" }],
      coupons: [{ ...coupon, cents: "1000" }],
      notes: [{ ...note, balance: "5000" }],
      wallets: [{ ...wallet, balance: "30000" }],
      steps: [bill(fee(10_000, "10"), plan, fee(3000), fee(2000))],
    });
    expect(made?.answer).toMatchObject({
      coupons: 1000n,
      subTotalExcluding: 19_000n,
      feeTaxes: [950n, 0n, 570n, 380n],
      taxes: 1900n,
      taxesRate: { n: 10n, d: 1n },
      subTotalIncluding: 20_900n,
      creditNotes: 5000n,
      prepaid: 15_900n,
      total: 0n,
      payment: "succeeded",
    });
    expect(made?.holdings).toEqual({
      coupons: [{ cents: 0n, status: "terminated" }],
      notes: [{ balance: 0n, status: "consumed" }],
      wallets: [{ balance: 14_100n, consumed: 15_900n, consumedCredits: { n: 159n, d: 1n } }],
    });
  });

  it("is paid by the oldest note, then by the wallet with the first priority, in its credits", () => {
    const [made] = published({
      notes: [
        { ...note, balance: "300", at: 2 },
        { ...note, balance: "200", at: 1 },
      ],
      wallets: [
        { ...wallet, balance: "5000", rate: "2", priority: 2 },
        { ...wallet, balance: "1000", rate: "0.333", priority: 1, at: 3 },
      ],
      steps: [bill(fee(2734))],
    });
    // 1000 minor units are 10.00, and 10 / 0.333 = 30.03003 credits; 12.34 at 2 are 6.17.
    expect(made?.answer).toMatchObject({
      uses: { notes: [300n, 200n], wallets: [1234n, 1000n] },
      credits: [
        { n: 617n, d: 100n },
        { n: 3003003n, d: 100000n },
      ],
    });
  });

  it("as a draft uses nothing, and when it becomes final whatever is there then", () => {
    const [draft, final] = published({
      wallets: [{ ...wallet, balance: "50" }],
      steps: [
        { do: "bill", form: "draft", fees: [fee(100)] },
        { do: "finalize", invoice: 0 },
      ],
    });
    expect([draft?.answer.total, final?.answer.total]).toEqual([100n, 50n]);
  });
});

describe("a coupon", () => {
  it("that is used once lasts until it is used up", () => {
    const lives = published({
      coupons: [{ ...coupon, cents: "10000" }],
      steps: [6000, 6000, 6000].map((cents) => bill(fee(cents))),
    });
    expect(lives.map(({ answer }) => answer.coupons)).toEqual([6000n, 4000n, 0n]);
    expect(lives.map(({ holdings }) => holdings.coupons[0]?.status)).toEqual(["active", "terminated", "terminated"]);
  });

  it("that recurs counts invoices, however little it took off them", () => {
    const recurring = { ...coupon, cents: "1000", frequency: "recurring" as const, remaining: 3 };
    const lives = published({ coupons: [recurring], steps: [5000, 700, 5000, 5000].map((cents) => bill(fee(cents))) });
    expect(lives.map(({ answer }) => answer.coupons)).toEqual([1000n, 700n, 1000n, 0n]);
  });
});

describe("a void", () => {
  const given = {
    coupons: [{ ...coupon, cents: "1000" }],
    notes: [{ ...note, balance: "500" }],
    wallets: [{ ...wallet, balance: "400", rate: "2" }],
  };
  const nothingUsed = {
    coupons: [{ cents: 1000n, status: "active" }],
    notes: [{ balance: 500n, status: "available" }],
    wallets: [{ balance: 400n, consumed: 0n, consumedCredits: { n: 0n, d: 1n } }],
  };

  it("gives everything back", () => {
    const lives = published({ ...given, steps: [bill(fee(5000)), { do: "void", invoice: 0 }] });
    expect(lives[0]?.answer.total).toBe(3100n);
    expect(lives[1]).toEqual({ answer: true, holdings: nothingUsed });
  });

  it("is refused for what is paid or has a note that lives, and allowed when the note is void too", () => {
    const paid = published({ steps: [bill(fee(5000)), { do: "pay", invoice: 0 }, { do: "void", invoice: 0 }] });
    expect(paid.at(-1)?.answer).toBe(false);
    const steps: Step[] = [bill(fee(5000)), credit(500), { do: "void", invoice: 0 }, { do: "void note", note: 0 }];
    const credited = published({ steps: [...steps, { do: "void", invoice: 0 }] });
    expect(credited.map(({ answer }) => answer).slice(2)).toEqual([false, true, true]);
  });

  it("gives nothing to a wallet that has ended, and does not revive a coupon that was deleted", () => {
    const ends: Step[] = [
      { do: "end wallet", wallet: 0 },
      { do: "end coupon", coupon: 0, how: "deleted" },
    ];
    const lives = published({ ...given, steps: [bill(fee(5000)), ...ends, { do: "void", invoice: 0 }] });
    expect(lives.at(-1)?.holdings).toEqual({
      coupons: [{ cents: 1000n, status: "terminated" }],
      notes: nothingUsed.notes,
      wallets: [{ balance: 0n, consumed: 400n, consumedCredits: { n: 2n, d: 1n } }],
    });
  });
});

describe("a credit note", () => {
  it("gives back its part of coupon and tax, and pays for the next invoice", () => {
    const steps = [bill(fee(10_000, "10")), credit(500), bill(fee(6000))];
    const lives = published({ coupons: [{ ...coupon, cents: "1000" }], steps });
    const made = { couponsAdjustment: 500n, subTotalExcluding: 4500n, taxes: 450n, total: 4950n, credit: 4950n };
    expect(lives[1]?.answer.note).toMatchObject(made);
    expect(lives[2]?.answer).toMatchObject({ creditNotes: 4950n, total: 1050n });
  });

  it("that is the last takes the drift of the taxes", () => {
    const fees = [6833, 5750, 8500, 6833].map((cents) => fee(cents, "20"));
    const parts = [0, 1, 2, 3].map((index) => credit(...fees.map((_, place) => (place === index ? 1000 : 0))));
    const lives = published({ steps: [bill(...fees), ...parts] });
    expect(lives[0]?.answer.total).toBe(33_499n);
    expect(lives.slice(1).map(({ answer }) => answer.note.total)).toEqual([8200n, 6900n, 10_200n, 8199n]);
  });

  it("refunds what was paid in money, and credits what credits paid", () => {
    const refund = (refundThousandths: number): Step => ({
      ...(credit(1000) as Step & { do: "credit" }),
      refundThousandths,
    });
    const start = { wallets: [{ ...wallet, balance: "400" }] };
    const tooMuch = published({ ...start, steps: [bill(fee(1000)), { do: "pay", invoice: 0 }, refund(1000)] });
    expect(tooMuch.at(-1)?.answer).toEqual({
      estimate: { maxCreditable: 1000n, maxRefundable: 600n },
      faults: ["refund_amount_cents: higher_than_remaining_invoice_amount"],
    });
    const fits = published({ ...start, steps: [bill(fee(1000)), { do: "pay", invoice: 0 }, refund(600)] });
    expect(fits.at(-1)?.answer.note).toMatchObject({ credit: 400n, refund: 600n });
  });
});

it("credits become whole minor units, and are what those are worth", () => {
  const grant = (rate: string, credits: string) =>
    published({ wallets: [{ ...wallet, balance: "0", rate }], steps: [{ do: "grant", wallet: 0, credits }] })[0]
      ?.answer;
  expect(grant("2", "100")).toEqual({ cents: 20_000n, credits: { n: 100n, d: 1n } });
  expect(grant("0.333", "10")).toEqual({ cents: 333n, credits: { n: 10n, d: 1n } });
  expect(grant("0.001", "5")).toEqual({ cents: 1n, credits: { n: 10n, d: 1n } });
  expect(grant("0.001", "4")).toBe("amount_rounds_to_zero");
});

it("bought credits count when they are paid, and are refunded as far as they are still there", () => {
  const refund: Step = { do: "credit", invoice: 0, parts: "all", refundThousandths: 1000, missesBy: 0 };
  const lives = published({
    wallets: [{ ...wallet, balance: "0" }],
    steps: [{ do: "buy", wallet: 0, credits: "10" }, refund, { do: "pay", invoice: 0 }, bill(fee(1)), refund],
  });
  expect(lives.map(({ holdings }) => holdings.wallets[0]?.balance)).toEqual([0n, 0n, 1000n, 999n, 999n]);
  expect(lives[1]?.answer).toBe("invalid_type_or_status");
  expect(lives[4]?.answer).toMatchObject({ faults: ["refund_amount_cents: higher_than_remaining_invoice_amount"] });
});
