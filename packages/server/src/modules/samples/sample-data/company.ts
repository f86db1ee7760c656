/** What the sample company sells, and to whom. */

const VAT = "sample_vat";
const LAUNCH = "sample_launch";
const ONBOARDING = "sample_onboarding";

export const TAX = { code: VAT, name: "VAT", rate: "21" };
export const COUPON = {
  ...{ code: LAUNCH, name: "Launch partner", coupon_type: "percentage", percentage_rate: "25" },
  ...{ frequency: "recurring", frequency_duration: 3, expiration: "no_expiration" },
};
export const ADD_ON = {
  ...{ code: ONBOARDING, name: "Onboarding workshop", amount_cents: 150_000, amount_currency: "EUR" },
  tax_codes: [TAX.code],
};

const TOKENS = "sample_tokens";
const CALLS = "sample_api_calls";
const STORAGE = "sample_storage";
const SEATS = "sample_seats";
const TRAINING = "sample_training";
export const CODES = { tokens: TOKENS, calls: CALLS, storage: STORAGE, seats: SEATS, training: TRAINING };

export const METRICS = [
  {
    ...{ code: TOKENS, name: "Tokens", aggregation_type: "sum_agg", field_name: "tokens" },
    filters: [{ key: "model", values: ["large", "small"] }],
  },
  { code: CALLS, name: "API calls", aggregation_type: "count_agg" },
  { code: STORAGE, name: "Vector storage", aggregation_type: "max_agg", field_name: "gigabytes" },
  { code: SEATS, name: "Seats", aggregation_type: "unique_count_agg", field_name: "user_id", recurring: true },
  { code: TRAINING, name: "Training", aggregation_type: "sum_agg", field_name: "amount" },
];

type Prices = { token: string; manyTokens: string; large: string; seat: string };

const chargesAt = ({ token, manyTokens, large, seat }: Prices) => [
  {
    ...{ billable_metric_code: TOKENS, charge_model: "graduated", invoice_display_name: "Tokens" },
    properties: {
      graduated_ranges: [
        { from_value: 0, to_value: 1_000_000, per_unit_amount: "0", flat_amount: "0" },
        { from_value: 1_000_001, to_value: 10_000_000, per_unit_amount: token, flat_amount: "0" },
        { from_value: 10_000_001, to_value: null, per_unit_amount: manyTokens, flat_amount: "0" },
      ],
    },
    filters: [
      {
        ...{ values: { model: ["large"] }, invoice_display_name: "Large model" },
        properties: {
          graduated_ranges: [{ from_value: 0, to_value: null, per_unit_amount: large, flat_amount: "0" }],
        },
      },
    ],
  },
  {
    ...{ billable_metric_code: CALLS, charge_model: "package", invoice_display_name: "API calls" },
    properties: { amount: "2.50", package_size: 10, free_units: 20 },
  },
  {
    ...{ billable_metric_code: STORAGE, charge_model: "standard", invoice_display_name: "Vector storage (peak, GB)" },
    properties: { amount: "0.25" },
  },
  {
    ...{ billable_metric_code: SEATS, charge_model: "volume", invoice_display_name: "Seats" },
    properties: {
      volume_ranges: [
        { from_value: 0, to_value: 10, per_unit_amount: seat, flat_amount: "0" },
        { from_value: 11, to_value: null, per_unit_amount: "9", flat_amount: "0" },
      ],
    },
  },
  {
    ...{ billable_metric_code: TRAINING, charge_model: "percentage", invoice_display_name: "Training, passed on" },
    properties: { rate: "4.5", fixed_amount: "0.30" },
  },
];

const TERMS = { interval: "monthly", amount_currency: "EUR", pay_in_advance: true, tax_codes: [TAX.code] };

export const PLANS = [
  {
    ...{ ...TERMS, code: "sample_build", name: "Build", amount_cents: 4_900 },
    charges: chargesAt({ token: "0.000012", manyTokens: "0.000008", large: "0.00003", seat: "12" }),
  },
  {
    ...{ ...TERMS, code: "sample_scale", name: "Scale", amount_cents: 49_900 },
    charges: chargesAt({ token: "0.0000096", manyTokens: "0.0000064", large: "0.000024", seat: "11" }),
    minimum_commitment: { amount_cents: 80_000, invoice_display_name: "Minimum commitment" },
  },
  {
    ...{ ...TERMS, code: "sample_enterprise", name: "Enterprise", amount_cents: 2_400_000 },
    ...{ interval: "yearly", bill_charges_monthly: true },
    charges: chargesAt({ token: "0.0000072", manyTokens: "0.0000048", large: "0.000018", seat: "10" }),
  },
];

/** In the order in which it can be deleted. */
export const CATALOG = [
  ...PLANS.map(({ code }) => ({ resource: "plan", path: "plans", code })),
  ...METRICS.map(({ code }) => ({ resource: "billable_metric", path: "billable_metrics", code })),
  { resource: "coupon", path: "coupons", code: COUPON.code },
  { resource: "add_on", path: "add_ons", code: ADD_ON.code },
  { resource: "tax", path: "taxes", code: TAX.code },
];

export type SampleCustomer = {
  id: string;
  name: string;
  plan: "build" | "scale" | "enterprise";
  /** How much it uses. */
  size: number;
  timezone: string;
  country: string;
  city: string;
  /** From this month on, 0 to 5, its payments fail or do not come. */
  fails?: number;
  owes?: number;
  /** Days until an invoice is final. */
  grace?: number;
};

const customer = (
  [id, name, plan, size]: readonly [string, string, SampleCustomer["plan"], number],
  [timezone, country, city]: readonly [string, string, string],
  more: Pick<SampleCustomer, "fails" | "owes" | "grace"> = {},
): SampleCustomer => ({ id: `sample_${id}`, name, plan, size, timezone, country, city, ...more });

export const CUSTOMERS: readonly SampleCustomer[] = [
  customer(["northwind", "Northwind Robotics", "scale", 1.6], ["Europe/Amsterdam", "NL", "Eindhoven"]),
  customer(["halden", "Halden Maritime AS", "build", 0.7], ["Europe/Oslo", "NO", "Bergen"]),
  customer(["quillfeather", "Quillfeather Press", "build", 0.25], ["Europe/London", "GB", "Bath"]),
  customer(["meridian", "Meridian Analytics", "scale", 1.1], ["America/New_York", "US", "Boston"], { grace: 20 }),
  customer(["oakline", "Oakline Legal", "build", 0.45], ["Europe/Dublin", "IE", "Cork"]),
  customer(["tessera", "Tessera Games", "scale", 2.4], ["Europe/Stockholm", "SE", "Malmö"]),
  customer(["brightwater", "Brightwater Utilities", "enterprise", 3.2], ["Europe/Berlin", "DE", "Hamburg"]),
  customer(["sato", "Sato Precision 株式会社", "build", 0.6], ["Asia/Tokyo", "JP", "Nagoya"]),
  customer(["lanterne", "Lanterne Média", "build", 0.9], ["Europe/Paris", "FR", "Lyon"]),
  customer(["cobalt", "Cobalt Freight", "build", 0.3], ["Europe/Madrid", "ES", "Valencia"], { fails: 3 }),
  customer(["ferrous", "Ferrous & Daughters", "build", 0.15], ["Europe/Brussels", "BE", "Ghent"], { owes: 2 }),
  customer(["pelagic", "Pelagic Data Commons", "scale", 0.5], ["America/Los_Angeles", "US", "Portland"]),
];

/** Prepaid credits, in EUR. */
export const PREPAID: Readonly<Record<string, string>> = { sample_lanterne: "150", sample_halden: "40" };
export const WITH_COUPON = "sample_tessera";
/** Its first invoice is corrected by a credit note. */
export const CREDITED = "sample_oakline";
/** Its last invoice but one is void. */
export const VOIDED = "sample_quillfeather";
/** Buys the workshop. */
export const ONBOARDED = "sample_pelagic";
