import { type BillCase, type RecomputationInput, recomputeInvoice } from "@tallystick/second-opinion";
import { describe, expect, test } from "vitest";

const JANUARY = {
  from: "2024-01-01T00:00:00Z",
  to: "2024-02-01T00:00:00Z",
  firstDay: "2024-01-01",
  lastDay: "2024-01-31",
  periodDays: 31,
};

const CHARGE = {
  id: "c",
  billable_metric_id: "m",
  charge_model: "standard" as const,
  pay_in_advance: false,
  invoiceable: true,
  prorated: false,
  min_amount_cents: 0,
  properties: { amount: "2" },
  filters: [],
};

const bill = (changes: Partial<BillCase> = {}): BillCase => ({
  subscriptionId: "s",
  plan: { code: "p", amount_cents: 3100, pay_in_advance: false, minimum_commitment: null, charges: [CHARGE] },
  successorMetricCodes: [],
  metrics: { m: { code: "calls", aggregation_type: "count_agg", field_name: null, recurring: false, filters: [] } },
  windows: {
    fee: { ...JANUARY, freeDays: 0 },
    charges: { ...JANUARY, timeZone: "UTC" },
    renewal: null,
    commitment: null,
  },
  usedBeforeMinor: "0",
  taxes: { plan: [], commitment: [], charges: {} },
  usage: [
    {
      chargeId: "c",
      events: ["2024-01-01T00:00:00Z", "2024-01-31T23:59:59Z"].map((at) => ({ at, properties: {} })),
      measured: [],
    },
  ],
  renewed: [],
  ...changes,
});

const requested = (changes: Partial<RecomputationInput> = {}): RecomputationInput => ({
  invoiceId: "i",
  currency: "EUR",
  digits: 2,
  at: "2024-02-01T00:00:00Z",
  bills: [bill()],
  taxes: { customer: [], organization: [] },
  coupons: [],
  creditNotes: [],
  wallets: [],
  ...changes,
});

describe("a second opinion, computed by hand", () => {
  test("a fee and two calls at 2.00", () => {
    expect(recomputeInvoice(requested())).toEqual({
      "fee s subscription": "3100",
      "fee s usage c [null,[]]": "400",
      "units s usage c [null,[]]": "2",
      total: "3500",
    });
  });

  test("12.5 % off 35.00 is 4.375, so 4.38; 20 % of 30.62 are 6.124; a wallet pays 10.00", () => {
    const coupon = {
      id: "k",
      appliedAt: "2024-01-01T00:00:00Z",
      limit: { type: "none" as const },
      state: { value: { type: "percentage" as const, rate: "12.5" }, left: { type: "forever" as const } },
    };
    const wallet = { id: "w", priority: 1, createdAt: "2024-01-01T00:00:00Z", currency: "EUR", rate: "0.7" };
    const wallets = [
      { ...wallet, expiresAt: null, balanceMinor: "1000" },
      { ...wallet, id: "over", expiresAt: "2024-02-01T00:00:00Z", balanceMinor: "9000" },
      { ...wallet, id: "foreign", currency: "USD", expiresAt: null, balanceMinor: "9000" },
    ];
    const taxes = { customer: [{ code: "vat", rate: "20" }], organization: [{ code: "other", rate: "5" }] };
    expect(recomputeInvoice(requested({ coupons: [coupon], wallets, taxes }))).toMatchObject({
      coupons: "438",
      "coupon k": "438",
      "base of tax vat 20": "3062",
      taxes: "612",
      prepaid: "1000",
      "wallet w": "1000",
      total: "2674",
    });
  });

  test("of 62 cents half a month, 16 of 31 days, is 32; a minimum of 10.00 for all days lacks 6.00", () => {
    const half = { ...JANUARY, firstDay: "2024-01-16" };
    const plan = { ...bill().plan, amount_cents: 62, charges: [{ ...CHARGE, min_amount_cents: 1000 }] };
    const windows = { ...bill().windows, fee: { ...half, freeDays: 0 } };
    expect(recomputeInvoice(requested({ bills: [bill({ plan, windows })] }))).toMatchObject({
      "fee s subscription": "32",
      "fee s minimum c": "600",
      total: "1032",
    });
  });

  test("what was measured is priced where there are too many events to count them again, and no units are said", () => {
    const measured = [{ filterId: null, group: {}, units: "3", events: "3", values: [], changes: [] }];
    const recomputation = recomputeInvoice(
      requested({ bills: [bill({ usage: [{ chargeId: "c", events: null, measured }] })] }),
    );
    expect(recomputation).toEqual({ "fee s subscription": "3100", "fee s usage c [null,[]]": "600", total: "3700" });
  });
});
