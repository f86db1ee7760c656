import { beforeAll, describe, expect, it, test } from "vitest";
import { badTexts, UNSTORABLE } from "../../../testing/bad-texts.ts";
import { startTallystick } from "../../../testing/start-tallystick.ts";

const { call } = await startTallystick({ organizations: 1 });

const METRICS = {
  sum: { aggregation_type: "sum_agg", field_name: "v", filters: [{ key: "region", values: ["eu", "us"] }] },
  count: { aggregation_type: "count_agg" },
  max: { aggregation_type: "max_agg", field_name: "v" },
  latest: { aggregation_type: "latest_agg", field_name: "v" },
  weighted: { aggregation_type: "weighted_sum_agg", field_name: "v", weighted_interval: "seconds", recurring: true },
  seats: { aggregation_type: "unique_count_agg", field_name: "v", recurring: true },
};
type MetricName = keyof typeof METRICS;
const ids: Record<string, string> = {};
beforeAll(async () => {
  for (const [code, members] of Object.entries(METRICS)) {
    const { body } = await call("POST", "/billable_metrics", { billable_metric: { name: code, code, ...members } });
    ids[code] = body.billable_metric.svc_id;
  }
  await call("POST", "/plans", { plan: plan("kept", []) });
});

const plan = (code: string, charges: unknown) => ({
  name: "P",
  code,
  interval: "monthly",
  amount_cents: 0,
  amount_currency: "EUR",
  pay_in_advance: false,
  charges,
});
const refused = (details: object) => ({
  status: 422,
  error: "Unprocessable Entity",
  code: "validation_errors",
  error_details: details,
});

/** The same charge is refused in a new plan, in a change, and next to a valid charge. */
async function expectRefusal(metric: MetricName, members: object, details: object): Promise<void> {
  const charge = { billable_metric_id: ids[metric], charge_model: "standard", ...members };
  const right = { billable_metric_id: ids.count, charge_model: "standard" };
  const answers = [
    await call("POST", "/plans", { plan: plan("refused", [charge]) }),
    await call("POST", "/plans", { plan: plan("refused", [right, charge]) }),
    await call("PUT", "/plans/kept", { plan: { charges: [charge] } }),
  ];
  expect(answers.map(({ body }) => body)).toMatchObject(answers.map(() => refused(details)));
  expect((await call("GET", "/plans/refused")).status).toBe(404);
  expect((await call("GET", "/plans/kept")).body.plan.charges).toEqual([]);
}

const PER_UNIT = { per_unit_amount: "1", flat_amount: "0" };
const RANGE = { from_value: 0, to_value: null, ...PER_UNIT };
const FREE = { volume_ranges: [RANGE] };

describe("members that conflict", () => {
  const inAdvance = { pay_in_advance: true };
  const notInAdvance = { pay_in_advance: ["invalid_aggregation_type_or_charge_model"] };
  const prorated = { prorated: true };
  const notProrated = { prorated: ["invalid_billable_metric_or_charge_model"] };
  const regroup = { regroup_paid_fees: "invoice" };
  const notRegrouped = { regroup_paid_fees: ["only_compatible_with_pay_in_advance_and_non_invoiceable"] };

  it.each([
    ["sum", { charge_model: "cubic" }, { charge_model: ["value_is_invalid"] }],
    ["sum", { charge_model: null }, { charge_model: ["value_is_mandatory"] }],
    ["sum", { billable_metric_id: null }, { billable_metric_id: ["value_is_mandatory"] }],
    ["sum", { billable_metric_id: " " }, { billable_metric_id: ["value_is_mandatory"] }],
    ["sum", { billable_metric_id: 5 }, { billable_metric_id: ["value_is_invalid"] }],
    ["sum", { min_amount_cents: -1 }, { min_amount_cents: ["value_is_out_of_range"] }],
    ["sum", { min_amount_cents: "1" }, { min_amount_cents: ["value_is_invalid"] }],
    ["sum", { ...inAdvance, min_amount_cents: 5 }, { min_amount_cents: ["not_compatible_with_pay_in_advance"] }],
    ["sum", { invoiceable: false }, { invoiceable: ["must_be_true_unless_pay_in_advance"] }],
    ["sum", { charge_model: "volume", properties: FREE, ...inAdvance }, notInAdvance],
    ["max", inAdvance, notInAdvance],
    ["latest", inAdvance, notInAdvance],
    ["weighted", inAdvance, notInAdvance],
    ["sum", prorated, notProrated],
    ["weighted", prorated, notProrated],
    ["seats", { charge_model: "package", ...prorated }, notProrated],
    ["seats", { charge_model: "graduated", ...prorated, ...inAdvance }, notProrated],
    ["sum", regroup, notRegrouped],
    ["sum", { ...regroup, ...inAdvance }, notRegrouped],
    ["sum", { regroup_paid_fees: "monthly" }, { regroup_paid_fees: ["value_is_invalid"] }],
    ["sum", { invoice_display_name: "x".repeat(256) }, { invoice_display_name: ["value_is_too_long"] }],
    ["sum", { tax_codes: "vat" }, { tax_codes: ["value_is_invalid"] }],
  ] as const)("on %s, %j is refused with %j", expectRefusal);

  it.each([
    ["count", { ...inAdvance, invoiceable: false, ...regroup }],
    ["sum", { charge_model: "percentage", ...inAdvance }],
    ["seats", { ...inAdvance, ...prorated }],
    ["seats", { charge_model: "volume", ...prorated }],
    ["seats", { charge_model: "graduated", ...prorated, min_amount_cents: 1 }],
  ] as const)("on %s, %j is allowed", async (metric, members) => {
    const charge = { billable_metric_id: ids[metric], charge_model: "standard", ...members };
    const { body } = await call("POST", "/plans", { plan: plan(JSON.stringify([metric, members]), [charge]) });
    expect(body.plan.charges).toMatchObject([members]);
  });
});

describe("properties", () => {
  const joined = (model: string, price: object, ...bounds: [number, number | null][]) => ({
    charge_model: model,
    properties: { [`${model}_ranges`]: bounds.map(([from_value, to_value]) => ({ from_value, to_value, ...price })) },
  });
  const standard = (amount: unknown) => ({ properties: { amount } });
  const inPackages = (members: object) => ({
    charge_model: "package",
    properties: { amount: "1", free_units: 0, package_size: 1, ...members },
  });
  const percentage = (members: object) => ({ charge_model: "percentage", properties: { rate: "1", ...members } });
  const share = { rate: "1", flat_amount: "0" };

  it.each([
    ["sum", standard(5), ["invalid_amount"]],
    ["sum", standard("-1"), ["invalid_amount"]],
    ["sum", standard("1e3"), ["invalid_amount"]],
    ["sum", standard(""), ["invalid_amount"]],
    ["sum", standard("NaN"), ["invalid_amount"]],
    ["sum", standard(null), ["invalid_amount"]],
    ["sum", { properties: "1" }, ["value_is_invalid"]],
    ["sum", { properties: [] }, ["value_is_invalid"]],
    ["sum", { properties: { amount: "1", grouped_by: "region" } }, ["invalid_type"]],
    ["sum", { properties: { amount: "1", grouped_by: [""] } }, ["invalid_type"]],
    ["sum", { properties: { amount: "1", grouped_by: [1] } }, ["invalid_type"]],
    ["sum", inPackages({ amount: 1 }), ["invalid_amount"]],
    ["sum", inPackages({ free_units: -1 }), ["invalid_free_units"]],
    ["sum", inPackages({ free_units: "1" }), ["invalid_free_units"]],
    ["sum", inPackages({ package_size: 0 }), ["invalid_package_size"]],
    ["sum", inPackages({ amount: "x", package_size: 1.5 }), ["invalid_amount", "invalid_package_size"]],
    ["sum", percentage({ rate: "x" }), ["invalid_rate"]],
    ["sum", percentage({ fixed_amount: "x" }), ["invalid_fixed_amount"]],
    ["sum", percentage({ free_units_per_events: 0 }), ["invalid_free_units_per_events"]],
    ["sum", percentage({ free_units_per_total_aggregation: 5 }), ["invalid_free_units_per_total_aggregation"]],
    ["sum", percentage({ per_transaction_min_amount: 1 }), ["invalid_amount"]],
    ["sum", percentage({ per_transaction_max_amount: "-1" }), ["invalid_amount"]],
    [
      "sum",
      percentage({ per_transaction_min_amount: "3", per_transaction_max_amount: "2" }),
      ["per_transaction_max_lower_than_per_transaction_min"],
    ],
    ["latest", percentage({}), ["invalid_value"]],
    ["latest", joined("graduated_percentage", share, [0, null]), ["invalid_value"]],
    ["sum", { charge_model: "graduated", properties: { amount: "1" } }, ["missing_graduated_ranges"]],
    ["sum", joined("graduated", PER_UNIT), ["missing_graduated_ranges"]],
    ["sum", joined("graduated", PER_UNIT, [1, null]), ["invalid_graduated_ranges"]],
    ["sum", joined("graduated", PER_UNIT, [0, 10], [12, null]), ["invalid_graduated_ranges"]],
    ["sum", joined("graduated", PER_UNIT, [0, 10]), ["invalid_graduated_ranges"]],
    ["sum", joined("graduated", { per_unit_amount: 1, flat_amount: "0" }, [0, null]), ["invalid_amount"]],
    ["sum", { charge_model: "volume", properties: { volume_ranges: [] } }, ["missing_volume_ranges"]],
    ["sum", joined("volume", PER_UNIT, [0, 10], [10, null]), ["invalid_volume_ranges"]],
    ["sum", joined("volume", PER_UNIT, [0, null], [1, null]), ["invalid_volume_ranges"]],
    ["sum", joined("volume", { per_unit_amount: "1" }, [0, null]), ["invalid_amount"]],
    [
      "sum",
      { charge_model: "graduated_percentage", properties: { rate: "1" } },
      ["missing_graduated_percentage_ranges"],
    ],
    ["sum", joined("graduated_percentage", share, [0, 0], [1, null]), ["invalid_graduated_percentage_ranges"]],
    ["sum", joined("graduated_percentage", { rate: 1, flat_amount: "0" }, [0, null]), ["invalid_rate"]],
    ["sum", joined("graduated_percentage", { rate: "1", flat_amount: 0 }, [0, null]), ["invalid_amount"]],
  ] as const)("on %s, %j are refused with %j, also those of a filter", async (metric, members, codes) => {
    await expectRefusal(metric, members, { properties: codes });
    if (metric === "latest") return;
    const { properties, ...charge } = members;
    const filters = [{ values: { region: ["eu"] }, properties }];
    await expectRefusal(metric, { ...charge, filters }, { properties: codes });
  });

  it.each([
    ["standard", { amount: "0" }],
    ["graduated", { graduated_ranges: [{ ...RANGE, per_unit_amount: "0" }] }],
    ["volume", { volume_ranges: [{ ...RANGE, per_unit_amount: "0" }] }],
    ["package", { amount: "0", free_units: 0, package_size: 1 }],
    ["percentage", { rate: "0", fixed_amount: "0" }],
    [
      "graduated_percentage",
      { graduated_percentage_ranges: [{ from_value: 0, to_value: null, rate: "0", flat_amount: "0" }] },
    ],
  ])("of a %s price that are absent cost nothing, in a filter too", async (charge_model, properties) => {
    const filters = [{ values: { region: ["eu"] }, properties: {} }, { values: { region: ["us"] } }];
    const charges = [
      { billable_metric_id: ids.sum, charge_model, filters },
      { billable_metric_id: ids.sum, charge_model, properties: {} },
    ];
    const { body } = await call("POST", "/plans", { plan: plan(`free ${charge_model}`, charges) });
    expect(body.plan.charges).toMatchObject([
      { properties, filters: [{ properties }, { properties }] },
      { properties, filters: [] },
    ]);
    expect(body.plan.charges[0].properties).toEqual(properties);
  });

  it.each([
    ["standard", { amount: "0.50" }],
    ["graduated", { graduated_ranges: [{ ...RANGE, per_unit_amount: "01.10", flat_amount: "0.0" }] }],
    ["volume", { volume_ranges: [{ ...RANGE, per_unit_amount: "1.000", flat_amount: "2.0" }] }],
    ["package", { amount: "10.00", free_units: 5, package_size: 100 }],
    ["percentage", { rate: "1.50", fixed_amount: "0.20", per_transaction_min_amount: "1.0", free_units_per_events: 3 }],
    [
      "graduated_percentage",
      { graduated_percentage_ranges: [{ from_value: 0, to_value: null, rate: "5.0", flat_amount: "0.10" }] },
    ],
  ])("of a %s price are answered as they were sent, in a filter too", async (charge_model, properties) => {
    const code = `sent ${charge_model}`;
    const filters = [{ values: { region: ["eu"] }, properties }];
    const charges = [{ billable_metric_id: ids.sum, charge_model, properties, filters }];
    const { body } = await call("POST", "/plans", { plan: plan(code, charges) });
    const [shown] = (await call("GET", `/plans/${encodeURIComponent(code)}`)).body.plan.charges;
    expect([shown.properties, shown.filters[0].properties]).toEqual([properties, properties]);
    expect(shown).toEqual(body.plan.charges[0]);
  });

  it("that were left out are shown with the value that applies", async () => {
    const sent = [
      ["percentage", { rate: "1.0", free_units_per_events: null }, { rate: "1.0", fixed_amount: "0" }],
      ["volume", { volume_ranges: [{ from_value: 0, ...PER_UNIT }] }, FREE],
    ] as const;
    for (const [charge_model, properties, shown] of sent) {
      const charges = [{ billable_metric_id: ids.sum, charge_model, properties }];
      const { body } = await call("POST", "/plans", { plan: plan(`left out ${charge_model}`, charges) });
      expect(body.plan.charges[0].properties).toEqual(shown);
    }
  });

  it("of other models are dropped, and decimals stay exact", async () => {
    const amount = `${"9".repeat(40)}.${"0".repeat(39)}1`;
    const properties = { amount, rate: "1", volume_ranges: [RANGE], grouped_by: ["b", "a", "b"] };
    const charges = [{ billable_metric_id: ids.sum, charge_model: "standard", properties }];
    const { body } = await call("POST", "/plans", { plan: plan("exact", charges) });
    expect(body.plan.charges[0].properties).toEqual({ amount, grouped_by: ["b", "a"] });
  });
});

describe("filters", () => {
  const withValues = (values: unknown) => ({ filters: [{ values }] });
  it.each([
    ["sum", withValues(undefined), { values: ["value_is_mandatory"] }],
    ["sum", withValues(null), { values: ["value_is_mandatory"] }],
    ["sum", withValues({}), { values: ["value_is_mandatory"] }],
    ["sum", withValues({ region: [] }), { values: ["value_is_mandatory"] }],
    ["sum", withValues({ region: ["mars"] }), { values: ["value_is_invalid"] }],
    ["sum", withValues({ region: ["eu", "mars"] }), { values: ["value_is_invalid"] }],
    ["sum", withValues({ planet: ["eu"] }), { values: ["value_is_invalid"] }],
    ["sum", withValues({ region: "eu" }), { values: ["value_is_invalid"] }],
    ["sum", withValues({ region: ["eu", "__ALL_FILTER_VALUES__"] }), { values: ["value_is_invalid"] }],
    ["sum", withValues("eu"), { values: ["value_is_invalid"] }],
    ["count", withValues({ region: ["eu"] }), { values: ["value_is_invalid"] }],
    ["sum", { filters: {} }, { filters: ["value_is_invalid"] }],
    ["sum", { filters: ["eu"] }, { filters: ["value_is_invalid"] }],
    [
      "sum",
      { filters: [{ values: { region: ["eu"] }, invoice_display_name: 1 }] },
      { invoice_display_name: ["value_is_invalid"] },
    ],
  ] as const)("on %s, %j are refused with %j", expectRefusal);
});

test("`grouped_by`, and the keys and values of filters, may be any text", async () => {
  const texts = badTexts(1).filter((text) => !UNSTORABLE.includes(text) && text.trim() !== "" && text.length <= 255);
  // A body cannot have a member of this name.
  const keys = texts.filter((text) => text !== "__proto__");
  const filters = keys.map((key) => ({ key, values: [key, "x"] }));
  const metric = { name: "Texts", code: "texts", ...METRICS.sum, filters };
  const { body: made } = await call("POST", "/billable_metrics", { billable_metric: metric });
  const charge = {
    billable_metric_id: made.billable_metric.svc_id,
    charge_model: "standard",
    properties: { amount: "1", grouped_by: texts },
    filters: keys.map((key) => ({ values: { [key]: [key] }, properties: { amount: "2" } })),
  };
  const { status, body } = await call("POST", "/plans", { plan: plan("texts", [charge]) });
  expect(status).toBe(200);
  expect(body.plan.charges[0].properties.grouped_by).toEqual(texts);
  const shown = (await call("GET", "/plans/texts")).body.plan.charges[0];
  expect(shown.properties.grouped_by).toEqual(texts);
  expect(shown.filters.map(({ values }: { values: object }) => values)).toEqual(keys.map((key) => ({ [key]: [key] })));
  const again = await call("PUT", "/plans/texts", { plan: { charges: [{ ...charge, id: shown.svc_id }] } });
  expect(again.body.plan).toEqual(body.plan);
});

test("a plan may have a thousand charges with filters", async () => {
  const charge = {
    billable_metric_id: ids.sum,
    charge_model: "standard",
    filters: [{ values: { region: ["eu"] } }, { values: { region: ["us"] } }],
  };
  const charges = Array.from({ length: 1_000 }, () => charge);
  const { status, body } = await call("POST", "/plans", { plan: plan("large", charges) });
  expect(status).toBe(200);
  expect(body.plan.charges).toHaveLength(1_000);
  const { body: emptied } = await call("PUT", "/plans/large", { plan: { charges: [] } });
  expect(emptied.plan.charges).toEqual([]);
});
