import { describe, expect, it, test } from "vitest";
import {
  type ChargeFilterDefinition,
  type Members,
  type Metric,
  type MetricsById,
  overridePlan,
  type PlanDefinition,
  parsePlan,
  planAfterUpdate,
} from "./index.ts";
import { faultsIn } from "./testing/faults-in.ts";

const storage: Metric = {
  code: "storage",
  aggregation: { type: "sum", field: "gb", isRecurring: true },
  filters: [{ key: "region", values: ["asia", "eu", "us"] }],
};
const calls: Metric = { code: "calls", aggregation: { type: "count" }, filters: [] };
const metrics: MetricsById = new Map([
  ["storage", storage],
  ["calls", calls],
]);

const filter = (region: string[], amount: string) => ({ values: { region }, properties: { amount } });
const STORAGE = {
  billable_metric_id: "storage",
  charge_model: "standard",
  properties: { amount: "1" },
  filters: [filter(["us"], "2"), filter(["eu", "asia"], "3")],
  min_amount_cents: 500,
  tax_codes: ["vat"],
};
const CALLS = {
  billable_metric_id: "calls",
  charge_model: "package",
  properties: { amount: "10", free_units: 0, package_size: 100 },
};
const PLAN = {
  name: "Scale",
  code: "scale",
  interval: "yearly",
  amount_cents: 5000,
  amount_currency: "EUR",
  pay_in_advance: true,
  bill_charges_monthly: true,
  trial_period: 10,
  description: "d",
  tax_codes: ["vat"],
  minimum_commitment: { amount_cents: 700, invoice_display_name: "Minimum", tax_codes: ["vat"] },
  charges: [STORAGE, CALLS],
};

/** The stored plan: charges c1 and c2, filters f1 and f2. */
function stored(): PlanDefinition {
  const parsed = parsePlan(PLAN, metrics);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  const charges = parsed.value.charges.map((charge, index) => ({
    ...charge,
    id: `c${index + 1}`,
    filters: charge.filters.map((filter, index) => ({ ...filter, id: `f${index + 1}` })),
  }));
  return { ...parsed.value, charges };
}
const current = stored();

const update = (change: object, hasSubscriptions = false) =>
  planAfterUpdate(current, change as Members, metrics, hasSubscriptions);
const updated = (change: object, hasSubscriptions = false) => {
  const result = update(change, hasSubscriptions);
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
};
const override = (overrides: object, isRunning = false) => overridePlan(current, overrides as Members, isRunning);
const overridden = (overrides: object) => {
  const result = override(overrides);
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
};
const pricesOf = ({ charges }: PlanDefinition) =>
  charges.map(({ price: { pricing } }) =>
    "amount" in pricing ? `${pricing.model} ${pricing.amount.toFixed()}` : pricing.model,
  );
const idsOf = ({ charges }: PlanDefinition) => charges.map(({ id }) => id);

describe("an update", () => {
  it.each([{}, { charges: null, tax_codes: null }, { unknown: 1 }])("%j changes nothing", (change) => {
    expect(updated(change)).toEqual(current);
    expect(updated(change, true)).toEqual(current);
  });

  it("changes the members that are present and clears those that are null", () => {
    expect(updated({ amount_cents: 9300, description: null, interval: "monthly" })).toEqual({
      ...current,
      amountMinor: 9300n,
      description: null,
      interval: "monthly",
      areChargesMonthly: false,
    });
  });

  it("is refused as the whole plan would be", () => {
    expect(update({ name: null, amount_cents: -1 })).toEqual({
      ok: false,
      error: { name: ["value_is_mandatory"], amount_cents: ["value_is_out_of_range"] },
    });
  });

  it("with subscriptions refuses another value for members that running bills depend on, and takes the same", () => {
    const change = {
      code: "other",
      interval: "monthly",
      pay_in_advance: false,
      amount_currency: "USD",
      trial_period: 99,
      bill_charges_monthly: false,
    };
    const codes = Object.keys(change).map((name) => [name, ["not_changeable_in_use"]]);
    expect(update(change, true)).toEqual({ ok: false, error: Object.fromEntries(codes) });
    const { charges: _, ...same } = PLAN;
    expect(updated(same, true)).toEqual(current);
  });

  it.each([
    [{ trial_period: null }, { trial_period: ["not_changeable_in_use"] }],
    [{ bill_charges_monthly: null }, { bill_charges_monthly: ["not_changeable_in_use"] }],
    [{ interval: "hourly" }, { interval: ["not_changeable_in_use"] }],
    [{ trial_period: 1, name: "" }, { trial_period: ["not_changeable_in_use"] }],
  ])("with subscriptions, %j is refused", (change, error) => {
    expect(update(change, true)).toEqual({ ok: false, error });
  });

  it("with subscriptions takes `bill_charges_monthly` where it has no meaning", () => {
    const monthly = { ...current, interval: "monthly" as const, areChargesMonthly: false };
    const change = { bill_charges_monthly: true, trial_period: 10 };
    expect(planAfterUpdate(monthly, change, metrics, true)).toEqual({ ok: true, value: monthly });
  });

  it("with subscriptions still changes name, description, display name, amount, taxes and commitment", () => {
    const change = {
      name: "New",
      description: "new",
      invoice_display_name: "On invoices",
      amount_cents: 1,
      tax_codes: ["city"],
      minimum_commitment: { amount_cents: 1 },
    };
    expect(updated(change, true)).toEqual({
      ...current,
      name: "New",
      description: "new",
      invoiceDisplayName: "On invoices",
      amountMinor: 1n,
      taxCodes: ["city"],
      minimumCommitment: { amountMinor: 1n, invoiceDisplayName: "Minimum", taxCodes: ["vat"] },
    });
  });
});

describe("the commitment in an update", () => {
  it.each([
    [{ amount_cents: 9 }, { amountMinor: 9n, invoiceDisplayName: "Minimum", taxCodes: ["vat"] }],
    [{ taxes: ["city"] }, { amountMinor: 700n, invoiceDisplayName: "Minimum", taxCodes: ["city"] }],
    [{ tax_codes: [] }, { amountMinor: 700n, invoiceDisplayName: "Minimum", taxCodes: [] }],
    [{ invoice_display_name: null }, { amountMinor: 700n, invoiceDisplayName: null, taxCodes: ["vat"] }],
    [{}, null],
    [null, null],
  ])("%j changes it, or takes it away", (minimum_commitment, after) => {
    expect(updated({ minimum_commitment }).minimumCommitment).toEqual(after);
  });
});

describe("charges in an update", () => {
  it("are the complete new set: known ones change, new ones have no id yet, others are removed", () => {
    const plan = updated({ charges: [CALLS, { id: "c1", properties: { amount: "7" } }] });
    expect(idsOf(plan)).toEqual([null, "c1"]);
    expect(pricesOf(plan)).toEqual(["package 10", "standard 7"]);
    expect(updated({ charges: [] }).charges).toEqual([]);
  });

  it("keep the members that are not given", () => {
    expect(updated({ charges: [{ id: "c1" }, { id: "c2", properties: null }] })).toEqual(current);
  });

  it("with an id that is not of this plan are new", () => {
    expect(idsOf(updated({ charges: [{ id: "of another plan", ...CALLS }] }))).toEqual([null]);
  });

  it("are refused when one is named twice", () => {
    expect(update({ charges: [{ id: "c1" }, { id: "c1" }] })).toEqual({
      ok: false,
      error: { id: ["value_already_exist"] },
    });
  });

  it.each([
    [{}, { charges: ["value_is_invalid"] }],
    [["c1"], { charges: ["value_is_invalid"] }],
    [[{ id: "c1", properties: { amount: 1 } }], { properties: ["invalid_amount"] }],
    [[{ id: "c3" }], { billable_metric_id: ["value_is_mandatory"], charge_model: ["value_is_mandatory"] }],
  ])("%j are refused with %j", (charges, error) => {
    expect(faultsIn(update({ charges }))).toEqual(error);
  });

  it.each([{}, { charge_model: "package" }])("stay with their metric, also with %j", (change) => {
    const [charge] = updated({ charges: [{ id: "c1", billable_metric_id: "calls", ...change }] }).charges;
    expect(charge?.metricId).toBe("storage");
  });

  const FIXED = {
    charge_model: "volume",
    pay_in_advance: true,
    invoiceable: false,
    regroup_paid_fees: "invoice",
    prorated: true,
    min_amount_cents: 1,
  };
  it.each(Object.entries(FIXED))("with subscriptions refuse %s %j", (name, value) => {
    expect(update({ charges: [{ id: "c1", [name]: value }] }, true)).toEqual({
      ok: false,
      error: { [name]: ["not_changeable_in_use"] },
    });
  });

  it("with subscriptions report every member that cannot change, before anything else", () => {
    const codes = Object.keys(FIXED).map((name) => [name, ["not_changeable_in_use"]]);
    expect(update({ code: "other", charges: [{ id: "c1", ...FIXED, properties: {} }] }, true)).toEqual({
      ok: false,
      error: { code: ["not_changeable_in_use"], ...Object.fromEntries(codes) },
    });
  });

  it("with subscriptions take the same model, timing and minimum, and change prices, taxes and names", () => {
    const change = {
      id: "c1",
      charge_model: "standard",
      pay_in_advance: false,
      invoiceable: null,
      regroup_paid_fees: null,
      prorated: null,
      min_amount_cents: 500,
      properties: { amount: "7" },
      invoice_display_name: "Storage",
      tax_codes: [],
    };
    const [before] = current.charges;
    const plan = updated({ charges: [change] }, true);
    const [after] = plan.charges;
    const properties = { amount: "7" };
    expect(after).toEqual({ ...before, price: after?.price, properties, invoiceDisplayName: "Storage", taxCodes: [] });
    expect(pricesOf(plan)).toEqual(["standard 7"]);
  });

  it("with subscriptions may be new, of any model and timing", () => {
    const added = { ...CALLS, pay_in_advance: true };
    expect(pricesOf(updated({ charges: [{ id: "c1" }, added] }, true))).toEqual(["standard 1", "package 10"]);
  });

  it("of a new model without properties cost nothing, rather than a price meant for another model", () => {
    const plan = updated({ charges: [{ id: "c2", charge_model: "standard" }] });
    expect(pricesOf(plan)).toEqual(["standard 0"]);
    const filtered = updated({ charges: [{ id: "c1", charge_model: "package" }] });
    expect(pricesOf(filtered)).toEqual(["package 0"]);
    expect(filtered.charges[0]?.filters.map(({ id, price }) => [id, price.pricing.model])).toEqual([
      ["f1", "package"],
      ["f2", "package"],
    ]);
  });
});

describe("filters in an update", () => {
  const after = (filters: unknown): readonly ChargeFilterDefinition[] =>
    updated({ charges: [{ id: "c1", filters }] }, true).charges[0]?.filters ?? [];

  it("keep their id while their values stay the same, in any order", () => {
    const filters = after([filter(["asia", "eu"], "9"), filter(["us"], "8")]);
    expect(filters.map(({ id }) => id)).toEqual(["f1", "f2"]);
    expect(filters.map(({ price: { pricing } }) => pricing.model === "standard" && pricing.amount.toFixed())).toEqual([
      "8",
      "9",
    ]);
  });

  it("with other values are new, and younger than those that stay", () => {
    const filters = after([filter(["asia"], "1"), filter(["us"], "2"), filter(["us"], "3")]);
    expect(filters.map(({ id, values }) => [id, values.region])).toEqual([
      ["f1", ["us"]],
      [null, ["asia"]],
      [null, ["us"]],
    ]);
  });

  it("replace the old ones", () => expect(after([])).toEqual([]));
});

describe("an override", () => {
  it("without members is the same plan, not yet stored", () => {
    const child = overridden({});
    expect(idsOf(child)).toEqual([null, null]);
    expect(child.charges[0]?.filters.map(({ id }) => id)).toEqual([null, null]);
    const charges = current.charges.map((charge) => ({
      ...charge,
      id: null,
      filters: charge.filters.map((filter) => ({ ...filter, id: null })),
    }));
    expect(child).toEqual({ ...current, charges });
  });

  it("takes amount, currency, names, description, trial, taxes and commitment, and keeps the code", () => {
    const child = overridden({
      amount_cents: 4000,
      amount_currency: "USD",
      name: "special",
      description: "for one",
      invoice_display_name: "Special",
      trial_period: 0,
      tax_codes: [],
      minimum_commitment: { amount_cents: 1 },
      code: "ignored",
      interval: "weekly",
      pay_in_advance: false,
      bill_charges_monthly: false,
    });
    expect(child).toMatchObject({
      amountMinor: 4000n,
      currency: "USD",
      name: "special",
      description: "for one",
      invoiceDisplayName: "Special",
      taxCodes: [],
      minimumCommitment: { amountMinor: 1n, invoiceDisplayName: "Minimum" },
      code: "scale",
      interval: "yearly",
      isPaidInAdvance: true,
      areChargesMonthly: true,
    });
    expect(child.trialDays.toFixed()).toBe("0");
  });

  it("of a charge takes properties, filters, minimum, taxes and name; other charges stay", () => {
    const child = overridden({
      charges: [
        {
          id: "c1",
          billable_metric_id: "calls",
          properties: { amount: "0.5" },
          filters: [],
          min_amount_cents: 0,
          tax_codes: ["city"],
          invoice_display_name: "Storage for one",
        },
      ],
    });
    expect(pricesOf(child)).toEqual(["standard 0.5", "package 10"]);
    expect(child.charges[0]).toMatchObject({
      metricId: "storage",
      filters: [],
      timing: { type: "arrears", minAmountMinor: 0n },
      taxCodes: ["city"],
      invoiceDisplayName: "Storage for one",
    });
    expect(pricesOf(current)).toEqual(["standard 1", "package 10"]);
  });

  const OTHER = { charge_model: "standard", pay_in_advance: true, invoiceable: false, properties: { amount: "3" } };

  it("of a subscription that has not started takes model and timing, without the prices of another model", () => {
    const child = overridden({ charges: [{ id: "c2", ...OTHER }] });
    expect(pricesOf(child)).toEqual(["standard 1", "standard 3"]);
    expect(child.charges[1]?.timing).toEqual({ type: "in_advance", invoicing: "no_invoice" });
    expect(pricesOf(overridden({ charges: [{ id: "c2", charge_model: "standard" }] }))).toEqual([
      "standard 1",
      "standard 0",
    ]);
  });

  it("of a running subscription refuses another model, timing or proration, and takes the same", () => {
    expect(override({ charges: [{ id: "c2", ...OTHER }] }, true)).toEqual({
      ok: false,
      error: {
        charge_model: ["not_changeable_in_use"],
        pay_in_advance: ["not_changeable_in_use"],
        invoiceable: ["not_changeable_in_use"],
      },
    });
    const same = { ...CALLS, pay_in_advance: false, invoiceable: true, prorated: false, min_amount_cents: 9 };
    expect(override({ charges: [{ id: "c2", ...same }] }, true)).toMatchObject({
      ok: true,
      value: { charges: [{}, { timing: { minAmountMinor: 9n } }] },
    });
  });

  it("without properties keeps the price of the charge", () => {
    expect(pricesOf(overridden({ charges: [{ id: "c1", properties: null }] }))).toEqual(["standard 1", "package 10"]);
  });

  it.each([
    [{ amount_cents: -1 }, { amount_cents: ["value_is_out_of_range"] }],
    [{ amount_currency: "ZZZ" }, { amount_currency: ["value_is_invalid"] }],
    [{ charges: {} }, { charges: ["value_is_invalid"] }],
    [{ charges: [7] }, { charges: ["value_is_invalid"] }],
    [{ charges: [{ properties: { amount: "1" } }] }, { id: ["value_is_mandatory"] }],
    [{ charges: [{ id: "c9" }] }, { id: ["relation_must_exist"] }],
    [{ charges: [{ id: "c1" }, { id: "c1" }] }, { id: ["value_already_exist"] }],
    [{ charges: [{ id: "c1", billable_metric_code: {} }] }, { billable_metric_code: ["value_is_invalid"] }],
    [{ charges: [{ id: "c1", billable_metric_id: 7 }] }, { billable_metric_id: ["value_is_invalid"] }],
    [{ charges: [{ id: "c1", properties: { amount: 1 } }] }, { properties: ["invalid_amount"] }],
    [{ charges: [{ id: "c1", filters: [{ values: { region: ["mars"] } }] }] }, { values: ["value_is_invalid"] }],
  ])("%j is refused with %j", (overrides, error) => {
    expect(faultsIn(override(overrides))).toEqual(error);
  });
});

test("neither an update nor an override touches the plan it starts from", () => {
  updated({ amount_cents: 1, charges: [] });
  overridden({ amount_cents: 1, charges: [{ id: "c1", filters: [] }] });
  expect(current).toEqual(stored());
});
