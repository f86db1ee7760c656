import { describe, expect, it, test } from "vitest";
import { minor } from "../money/index.ts";
import { parseChargeFilters } from "./charge-filters.ts";
import {
  ALL_FILTER_VALUES,
  type ChargeDefinition,
  type ChargeTiming,
  chargeMembers,
  type Metric,
  parseMetric,
} from "./index.ts";
import { parseCharge } from "./parse-charge.ts";
import { faultsIn } from "./testing/faults-in.ts";

const metric = (members: object): Metric => {
  const parsed = parseMetric({ name: "M", code: "m", aggregation_type: "sum_agg", field_name: "v", ...members });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  return parsed.value;
};

const metrics = new Map([
  ["sum", metric({})],
  ["count", metric({ aggregation_type: "count_agg" })],
  ["max", metric({ aggregation_type: "max_agg" })],
  ["latest", metric({ aggregation_type: "latest_agg" })],
  ["unique", metric({ aggregation_type: "unique_count_agg" })],
  ["weighted", metric({ aggregation_type: "weighted_sum_agg", weighted_interval: "seconds" })],
  ["recurring sum", metric({ recurring: true })],
  ["recurring unique", metric({ aggregation_type: "unique_count_agg", recurring: true })],
  [
    "recurring weighted",
    metric({ aggregation_type: "weighted_sum_agg", weighted_interval: "seconds", recurring: true }),
  ],
]);

const parse = (members: object) =>
  parseCharge(
    { billable_metric_id: "sum", charge_model: "standard", properties: { amount: "1" }, ...members },
    metrics,
  );
const faultsOf = (members: object) => faultsIn(parse(members));
const accepted = (members: object): ChargeDefinition => {
  const parsed = parse(members);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  return parsed.value;
};

const NOT_IN_ADVANCE = { pay_in_advance: ["invalid_aggregation_type_or_charge_model"] };
const NOT_PRORATED = { prorated: ["invalid_billable_metric_or_charge_model"] };
const FREE = { properties: undefined };

test("a charge is in arrears, invoiceable, not prorated and without a minimum unless it says otherwise", () => {
  expect(accepted({})).toMatchObject({
    id: null,
    metricId: "sum",
    timing: { type: "arrears", minAmountMinor: 0n },
    isProrated: false,
    filters: [],
    invoiceDisplayName: null,
    taxCodes: [],
  });
});

describe("timing", () => {
  it.each<[object, ChargeTiming]>([
    [{ min_amount_cents: 1000 }, { type: "arrears", minAmountMinor: minor(1000n) }],
    [{ pay_in_advance: true }, { type: "in_advance", invoicing: "invoice_each" }],
    [
      { pay_in_advance: true, min_amount_cents: 0 },
      { type: "in_advance", invoicing: "invoice_each" },
    ],
    [
      { pay_in_advance: true, invoiceable: false },
      { type: "in_advance", invoicing: "no_invoice" },
    ],
    [
      { pay_in_advance: true, invoiceable: false, regroup_paid_fees: "invoice" },
      { type: "in_advance", invoicing: "regroup_paid" },
    ],
  ])("%j is billed at its time", (members, timing) => {
    expect(accepted(members).timing).toEqual(timing);
  });

  it.each([
    [{ charge_model: "cubic" }, { charge_model: ["value_is_invalid"] }],
    [{ charge_model: null }, { charge_model: ["value_is_mandatory"] }],
    [{ charge_model: "dynamic" }, { charge_model: ["value_is_invalid"] }],
    [{ billable_metric_id: null }, { billable_metric_id: ["value_is_mandatory"] }],
    [{ billable_metric_id: "nobody" }, { billable_metric_id: ["relation_must_exist"] }],
    [{ pay_in_advance: 1 }, { pay_in_advance: ["value_is_invalid"] }],
    [{ invoiceable: "no" }, { invoiceable: ["value_is_invalid"] }],
    [{ min_amount_cents: -1 }, { min_amount_cents: ["value_is_out_of_range"] }],
    [{ min_amount_cents: 0.5 }, { min_amount_cents: ["value_is_invalid"] }],
    [{ min_amount_cents: "5" }, { min_amount_cents: ["value_is_invalid"] }],
    [{ min_amount_cents: 2 ** 53 }, { min_amount_cents: ["value_is_out_of_range"] }],
    [{ pay_in_advance: true, min_amount_cents: 5 }, { min_amount_cents: ["not_compatible_with_pay_in_advance"] }],
    [{ invoiceable: false }, { invoiceable: ["must_be_true_unless_pay_in_advance"] }],
    [{ regroup_paid_fees: "monthly" }, { regroup_paid_fees: ["value_is_invalid"] }],
    [
      { regroup_paid_fees: "invoice" },
      { regroup_paid_fees: ["only_compatible_with_pay_in_advance_and_non_invoiceable"] },
    ],
    [
      { regroup_paid_fees: "invoice", pay_in_advance: true },
      { regroup_paid_fees: ["only_compatible_with_pay_in_advance_and_non_invoiceable"] },
    ],
    [{ properties: { amount: 5 } }, { properties: ["invalid_amount"] }],
    [{ tax_codes: "vat" }, { tax_codes: ["value_is_invalid"] }],
    [
      { properties: { amount: 5 }, invoiceable: false, invoice_display_name: "x".repeat(256) },
      {
        properties: ["invalid_amount"],
        invoiceable: ["must_be_true_unless_pay_in_advance"],
        invoice_display_name: ["value_is_too_long"],
      },
    ],
  ])("%j is refused with %j", (members, faults) => {
    expect(faultsOf(members)).toEqual(faults);
  });
});

describe("pay in advance", () => {
  it.each([
    ["count", "standard", {}],
    ["sum", "standard", {}],
    ["unique", "standard", {}],
    ["recurring sum", "standard", {}],
    ["sum", "graduated", {}],
    ["sum", "package", {}],
    ["sum", "percentage", {}],
    ["sum", "graduated_percentage", {}],
    ["sum", "volume", NOT_IN_ADVANCE],
    ["max", "standard", NOT_IN_ADVANCE],
    ["latest", "standard", NOT_IN_ADVANCE],
    ["weighted", "standard", NOT_IN_ADVANCE],
  ])("of %s priced by %s: %j", (billable_metric_id, charge_model, faults) => {
    expect(faultsOf({ billable_metric_id, charge_model, ...FREE, pay_in_advance: true })).toEqual(faults);
  });
});

describe("prorated", () => {
  it.each([
    ["recurring sum", "standard", false, {}],
    ["recurring sum", "volume", false, {}],
    ["recurring sum", "graduated", false, {}],
    ["recurring unique", "standard", false, {}],
    ["recurring sum", "package", false, NOT_PRORATED],
    ["recurring sum", "percentage", false, NOT_PRORATED],
    ["recurring sum", "graduated_percentage", false, NOT_PRORATED],
    ["recurring sum", "standard", true, {}],
    ["recurring sum", "graduated", true, NOT_PRORATED],
    ["recurring sum", "volume", true, { ...NOT_IN_ADVANCE, ...NOT_PRORATED }],
    ["recurring weighted", "standard", false, NOT_PRORATED],
    ["sum", "standard", false, NOT_PRORATED],
    ["unique", "standard", false, NOT_PRORATED],
    ["count", "standard", false, NOT_PRORATED],
    ["max", "standard", false, NOT_PRORATED],
  ])("%s priced by %s, in advance %j: %j", (billable_metric_id, charge_model, pay_in_advance, faults) => {
    expect(faultsOf({ billable_metric_id, charge_model, ...FREE, pay_in_advance, prorated: true })).toEqual(faults);
  });
});

describe("filters", () => {
  const dimensions = metric({
    filters: [
      { key: "region", values: ["us", "eu"] },
      { key: "tier", values: ["gold", "silver"] },
    ],
  });
  const parseFilters = (...filters: unknown[]) => parseChargeFilters(filters, "standard", dimensions);

  it("keep their order, values as given, and a price of their own", () => {
    expect(
      parseFilters(
        { values: { region: ["us"], tier: ["silver", "gold", "silver"] }, properties: { amount: "3" } },
        { values: { region: [ALL_FILTER_VALUES] }, invoice_display_name: "Anywhere" },
      ),
    ).toMatchObject({
      value: [
        { id: null, values: { region: ["us"], tier: ["silver", "gold"] }, invoiceDisplayName: null },
        { id: null, values: { region: [ALL_FILTER_VALUES] }, invoiceDisplayName: "Anywhere" },
      ],
    });
  });

  it("without properties, or with empty ones, take the zero price", () => {
    const parsed = parseFilters({ values: { region: ["us"] } }, { values: { region: ["us"] }, properties: {} });
    expect(
      parsed.ok &&
        parsed.value.map(({ price }) => price.pricing.model === "standard" && price.pricing.amount.toFixed()),
    ).toEqual(["0", "0"]);
  });

  it.each([
    [{}, { values: ["value_is_mandatory"] }],
    [{ values: null }, { values: ["value_is_mandatory"] }],
    [{ values: {} }, { values: ["value_is_mandatory"] }],
    [{ values: { region: [] } }, { values: ["value_is_mandatory"] }],
    [{ values: ["us"] }, { values: ["value_is_invalid"] }],
    [{ values: { region: "us" } }, { values: ["value_is_invalid"] }],
    [{ values: { region: [1] } }, { values: ["value_is_invalid"] }],
    [{ values: { region: ["asia"] } }, { values: ["value_is_invalid"] }],
    [{ values: { region: ["us", "asia"] } }, { values: ["value_is_invalid"] }],
    [{ values: { zone: ["us"] } }, { values: ["value_is_invalid"] }],
    [{ values: { zone: [ALL_FILTER_VALUES] } }, { values: ["value_is_invalid"] }],
    [{ values: { region: ["us", ALL_FILTER_VALUES] } }, { values: ["value_is_invalid"] }],
    [{ values: { toString: ["us"] } }, { values: ["value_is_invalid"] }],
    [{ values: { region: ["us"] }, properties: { amount: 1 } }, { properties: ["invalid_amount"] }],
  ])("%j is refused with %j", (filter, error) => {
    expect(faultsIn(parseFilters(filter))).toEqual(error);
  });

  it.each([["x"], [{}], [["us"]]])("%j are none", (filters) => {
    expect(faultsOf({ filters })).toEqual({ filters: ["value_is_invalid"] });
  });
});

test("a charge is shown in the members that make it", () => {
  const members = {
    billable_metric_id: "unique",
    charge_model: "standard",
    pay_in_advance: true,
    invoiceable: false,
    regroup_paid_fees: "invoice",
    prorated: false,
    min_amount_cents: 0,
    properties: { amount: "12", grouped_by: ["team"] },
    filters: [],
    invoice_display_name: "Seats",
    tax_codes: ["vat"],
  };
  expect(chargeMembers(accepted(members))).toEqual(members);
});
