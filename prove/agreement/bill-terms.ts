/** A plan with every kind of charge, as the interface writes it, and what its customer has to spend. */
import type { AppliedCoupon, Wallet } from "@tallystick/core/invoicing";
import { currency, decimal, minor } from "@tallystick/core/money";
import type { RecomputationInput } from "@tallystick/second-opinion";

type Terms = RecomputationInput["bills"][number]["plan"];
type ChargeTerms = Terms["charges"][number];
type MetricTerms = RecomputationInput["bills"][number]["metrics"][string];

export const AT = "2024-02-01T00:00:00Z";

export const PERIOD = {
  from: "2024-01-01T00:00:00Z",
  to: "2024-02-01T00:00:00Z",
  firstDay: "2024-01-01",
  lastDay: "2024-01-31",
  periodDays: 31,
};

export const NEXT = {
  from: "2024-02-01T00:00:00Z",
  to: "2024-03-01T00:00:00Z",
  firstDay: "2024-02-01",
  lastDay: "2024-02-29",
  periodDays: 29,
};

const metric = (code: string, type: string, field: string | null, recurring = false): MetricTerms => ({
  code,
  aggregation_type: `${type}_agg`,
  field_name: field,
  recurring,
  filters: code === "data" ? [{ key: "region", values: ["eu", "us"] }] : [],
});

export const METRICS: Readonly<Record<string, MetricTerms>> = {
  calls: metric("calls", "count", null),
  data: metric("data", "sum", "gb"),
  paid: metric("paid", "sum", "gb"),
  stock: metric("stock", "sum", "gb", true),
  shelf: metric("shelf", "sum", "gb", true),
  peak: metric("peak", "max", "gb"),
  last: metric("last", "latest", "gb"),
  users: metric("users", "unique_count", "seat"),
  seats: metric("seats", "unique_count", "seat", true),
  held: metric("held", "weighted_sum", "gb", true),
};

const ranges = [
  { from_value: 0, to_value: 2, per_unit_amount: "1.005", flat_amount: "0.5" },
  { from_value: 3, to_value: null, per_unit_amount: "0.335", flat_amount: "1" },
];
const rates = [
  { from_value: 0, to_value: 1, rate: "3", flat_amount: "0.1" },
  { from_value: 2, to_value: null, rate: "1.5", flat_amount: "0.2" },
];

let charges = 0;
const charge = (
  metricId: string,
  model: ChargeTerms["charge_model"],
  properties: ChargeTerms["properties"],
  more: Partial<ChargeTerms> = {},
): ChargeTerms => ({
  id: `c${++charges}`,
  billable_metric_id: metricId,
  charge_model: model,
  pay_in_advance: false,
  invoiceable: true,
  prorated: false,
  min_amount_cents: 0,
  properties,
  filters: [],
  ...more,
});

export const CHARGES: readonly ChargeTerms[] = [
  charge(
    "data",
    "graduated",
    { graduated_ranges: ranges, grouped_by: ["team"] },
    {
      min_amount_cents: 5000,
      filters: [{ id: "f1", values: { region: ["eu"] }, properties: { graduated_ranges: ranges } }],
    },
  ),
  charge("seats", "standard", { amount: "31" }, { prorated: true }),
  charge("seats", "graduated", { graduated_ranges: ranges }, { prorated: true }),
  charge("shelf", "volume", { volume_ranges: ranges }, { prorated: true }),
  charge("stock", "package", { amount: "3", free_units: 1, package_size: 2 }, { pay_in_advance: true }),
  charge(
    "stock",
    "percentage",
    { rate: "2.5", fixed_amount: "1", free_units_per_total_aggregation: "2" },
    { pay_in_advance: true, invoiceable: false },
  ),
  charge("peak", "volume", { volume_ranges: ranges }),
  charge("peak", "percentage", { rate: "3", fixed_amount: "0.7", free_units_per_events: 1 }),
  charge("last", "standard", { amount: "0.333" }),
  charge("held", "standard", { amount: "1.7" }),
  charge("held", "percentage", { rate: "7", fixed_amount: "0.2", per_transaction_max_amount: "0.01" }),
  charge("paid", "percentage", {
    rate: "1.35",
    fixed_amount: "0.2",
    free_units_per_events: 1,
    per_transaction_max_amount: "2",
  }),
  charge("paid", "percentage", { rate: "1.35", fixed_amount: "0.2", free_units_per_total_aggregation: "50" }),
  charge("users", "graduated_percentage", { graduated_percentage_ranges: rates }),
  charge("calls", "package", { amount: "1", free_units: 0, package_size: 3 }),
];

export const TERMS = {
  name: "Everything",
  code: "p",
  interval: "monthly",
  amount_cents: 3107,
  amount_currency: "EUR",
  pay_in_advance: false,
  charges: [...CHARGES],
  minimum_commitment: { amount_cents: 90_000 },
};

const SINCE = "2024-01-01T00:00:00Z";
const since = Temporal.Instant.from(SINCE);
const euro = currency("EUR");

const coupon = { id: "k", code: "k", limit: { type: "metrics" as const, codes: ["data", "paid"] } };
export const COUPON = {
  core: {
    ...coupon,
    appliedAt: since,
    state: { value: { type: "percentage", rate: decimal("12.5") }, left: { type: "uses", count: 2 } },
  } satisfies AppliedCoupon,
  requested: {
    ...coupon,
    appliedAt: SINCE,
    state: { value: { type: "percentage" as const, rate: "12.5" }, left: { type: "uses" as const, count: 2 } },
  },
};

const note = { id: "n", invoiceId: "another" };
export const NOTE = {
  core: { ...note, number: "1", currency: euro, createdAt: since, balanceMinor: minor(777n) },
  requested: { ...note, currency: "EUR", createdAt: SINCE, balanceMinor: "777" },
};

const wallet = { id: "w", priority: 2, expiresAt: null };
export const WALLET = {
  core: {
    ...wallet,
    currency: euro,
    createdAt: since,
    rate: decimal("0.7"),
    balanceMinor: minor(12_345n),
  } satisfies Wallet,
  requested: { ...wallet, currency: "EUR", createdAt: SINCE, rate: "0.7", balanceMinor: "12345" },
};
