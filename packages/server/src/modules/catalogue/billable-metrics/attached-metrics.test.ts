import { describe, expect, test } from "vitest";
import { composeCountedApi } from "../../../testing/count-queries.ts";
import { startTallystick } from "../../../testing/start-tallystick.ts";

const { platform, call, organizations } = await startTallystick({ organizations: 3 });
const other = { key: organizations[1]?.key ?? "" };

type Members = Record<string, unknown>;
type Shown = { svc_id: string; billable_metric_code: string; filters: { values: Members }[] };

const createMetric = async (code: string, more: Members = {}, options = {}): Promise<string> => {
  const members = { name: "Traffic", code, aggregation_type: "sum_agg", field_name: "bytes", ...more };
  const { status, body, text } = await call("POST", "/billable_metrics", { billable_metric: members }, options);
  expect(status, text).toBe(200);
  return body.billable_metric.svc_id;
};
const changeMetric = (code: string, billable_metric: Members) =>
  call("PUT", `/billable_metrics/${code}`, { billable_metric });
const showMetric = async (code: string, options = {}) =>
  (await call("GET", `/billable_metrics/${code}`, undefined, options)).body.billable_metric;

const aPlan = (code: string, charges: Members[]) => ({
  plan: {
    name: "Plan",
    code,
    interval: "monthly",
    amount_cents: 0,
    amount_currency: "EUR",
    pay_in_advance: false,
    charges,
  },
});
const chargeOn = (billable_metric_id: string, more: Members = {}) => ({
  billable_metric_id,
  charge_model: "standard",
  properties: { amount: "1" },
  ...more,
});
const createPlan = async (code: string, charges: Members[], options = {}): Promise<Shown[]> => {
  const { status, body, text } = await call("POST", "/plans", aPlan(code, charges), options);
  expect(status, text).toBe(200);
  return body.plan.charges;
};
const changeCharges = async (code: string, charges: Members[]): Promise<void> => {
  const { status, text } = await call("PUT", `/plans/${code}`, { plan: { charges } });
  expect(status, text).toBe(200);
};
const chargesOf = async (code: string, options = {}): Promise<Shown[]> =>
  (await call("GET", `/plans/${code}`, undefined, options)).body.plan.charges;
const filterOn = (values: Members) => ({ values, properties: { amount: "2" } });

describe("a metric that a plan has a charge on", () => {
  const CHANGES = {
    code: "other",
    aggregation_type: "weighted_sum_agg",
    field_name: "seats",
    recurring: true,
    weighted_interval: "seconds",
  };

  test("changes its name, description and filters; other members are ignored, invalid ones too", async () => {
    await createPlan("kept", [chargeOn(await createMetric("kept"))]);
    const before = await showMetric("kept");
    const seen = { name: "New", description: "New", filters: [{ key: "region", values: ["eu"] }] };
    expect((await changeMetric("kept", { ...seen, ...CHANGES })).body.billable_metric).toEqual({ ...before, ...seen });
    const wrong = { code: "", aggregation_type: "median_agg", field_name: null, recurring: 1, weighted_interval: 1 };
    expect((await changeMetric("kept", wrong)).status).toBe(200);
    expect(await showMetric("kept")).toEqual({ ...before, ...seen });
    expect((await changeMetric("kept", { name: "" })).body.error_details).toEqual({ name: ["value_is_mandatory"] });
    expect((await changeMetric("kept", { filters: [{ key: "region", values: [] }] })).body.error_details).toEqual({
      values: ["value_is_mandatory"],
    });
  });

  test("changes as a whole again once no plan has a charge on it", async () => {
    const id = await createMetric("freed");
    await createPlan("freeing", [chargeOn(id)]);
    await createPlan("deleted", [chargeOn(id)]);
    await changeCharges("freeing", []);
    expect((await changeMetric("freed", CHANGES)).body.billable_metric.code).toBe("freed");
    await call("DELETE", "/plans/deleted");
    expect((await changeMetric("freed", CHANGES)).body.billable_metric).toMatchObject(CHANGES);
  });

  test("is not the metric of another organization with the same code", async () => {
    await createPlan("same", [chargeOn(await createMetric("same", {}, other))], other);
    await createMetric("same");
    expect((await changeMetric("same", { field_name: "free" })).body.billable_metric.field_name).toBe("free");
  });

  test("or is about to: of a change and a new charge at the same moment, one sees the other", async () => {
    for (const round of Array.from({ length: 8 }, (_, index) => `round-${index}`)) {
      const id = await createMetric(round, { recurring: true });
      // A prorated charge needs a recurring metric.
      const [changed, planned] = await Promise.all([
        changeMetric(round, { recurring: false }),
        call("POST", "/plans", aPlan(round, [chargeOn(id, { prorated: true })])),
      ]);
      expect([changed.status, planned.status]).toEqual([200, planned.status === 200 ? 200 : 422]);
      expect((await showMetric(round)).recurring).toBe(planned.status === 200);
    }
  });
});

test("plans_count counts the plans with a charge on it, each once", async () => {
  const one = await createMetric("one");
  const both = await createMetric("both");
  await createMetric("none");
  const counts = async (options = {}) => {
    const { billable_metrics } = (await call("GET", "/billable_metrics", undefined, options)).body;
    const listed = new Map(
      billable_metrics.map((metric: { code: string; plans_count: number }) => [metric.code, metric.plans_count]),
    );
    for (const code of ["one", "both", "none"])
      if (listed.has(code)) expect((await showMetric(code, options)).plans_count).toBe(listed.get(code));
    return [listed.get("one"), listed.get("both"), listed.get("none")];
  };
  await createPlan("first", [chargeOn(one), chargeOn(both), chargeOn(both)]);
  await createPlan("second", [chargeOn(both)]);
  await createPlan("first", [chargeOn(await createMetric("both", {}, other))], other);
  expect(await counts()).toEqual([1, 2, 0]);
  expect(await counts(other)).toEqual([undefined, 1, undefined]);
  await call("DELETE", "/plans/second");
  expect(await counts()).toEqual([1, 1, 0]);
  await changeCharges("first", [chargeOn(one)]);
  expect(await counts()).toEqual([1, 0, 0]);
});

test("a page takes the same number of queries for any number of metrics and plans", async () => {
  const third = { key: organizations[2]?.key ?? "" };
  const counted = await composeCountedApi(platform);
  const listAll = async () => (await counted.get("/billable_metrics", third.key)).queries;
  await createPlan("0", [chargeOn(await createMetric("0", {}, third))], third);
  const ofOne = await listAll();
  for (const code of ["1", "2", "3", "4"])
    await createPlan(code, [chargeOn(await createMetric(code, {}, third))], third);
  expect(await listAll()).toBe(ofOne);
  await counted.app.close();
});

describe("values removed from the filters of a metric", () => {
  const filters = [
    { key: "region", values: ["asia", "eu", "us"] },
    { key: "cloud", values: ["a", "b"] },
  ];
  const chargeFilters = [
    filterOn({ region: ["eu", "us"] }),
    filterOn({ region: ["us"], cloud: ["a"] }),
    filterOn({ cloud: ["__ALL_FILTER_VALUES__"] }),
  ];
  const valuesIn = (charges: Shown[]) => charges.map((charge) => charge.filters.map(({ values }) => values));

  test("are removed from the filters of charges; a filter without values of a key is deleted", async () => {
    const id = await createMetric("dimensions", { filters });
    const plain = await createMetric("plain");
    const charges = await createPlan("dimensions", [chargeOn(plain), chargeOn(id, { filters: chargeFilters })]);
    await createPlan("also", [chargeOn(id, { filters: [filterOn({ region: ["us"] })] })]);
    const theirs = await createMetric("dimensions", { filters }, other);
    await createPlan("dimensions", [chargeOn(theirs, { filters: chargeFilters })], other);

    await changeMetric("dimensions", {
      filters: [
        { key: "region", values: ["eu", "africa"] },
        { key: "cloud", values: ["a"] },
      ],
    });
    const left = await chargesOf("dimensions");
    expect(valuesIn(left)).toEqual([[], [{ region: ["eu"] }, { cloud: ["__ALL_FILTER_VALUES__"] }]]);
    expect(left.map(({ svc_id }) => svc_id)).toEqual(charges.map(({ svc_id }) => svc_id));
    expect(valuesIn(await chargesOf("also"))).toEqual([[]]);
    expect(valuesIn(await chargesOf("dimensions", other))).toEqual([chargeFilters.map(({ values }) => values)]);

    await changeMetric("dimensions", { filters: [] });
    expect(valuesIn(await chargesOf("dimensions"))).toEqual([[], []]);
  });

  test("stay if the change is refused, or removes none", async () => {
    const charges = await createPlan("steady", [
      chargeOn(await createMetric("steady", { filters }), { filters: chargeFilters }),
    ]);
    await changeMetric("steady", { filters: [{ key: "region", values: [] }] });
    await changeMetric("steady", { filters: [], name: "" });
    await changeMetric("steady", { filters: null, name: "New" });
    await changeMetric("steady", { filters: [...filters, { key: "tier", values: ["gold"] }] });
    expect(await chargesOf("steady")).toEqual(charges);
  });
});

describe("a deleted metric", () => {
  test("removes its charges from their plans, and nothing else", async () => {
    const going = await createMetric("going");
    const staying = await createMetric("staying");
    const [, kept] = await createPlan("losing", [chargeOn(going), chargeOn(staying), chargeOn(going)]);
    await createPlan("emptied", [chargeOn(going)]);
    const { body } = await call("DELETE", "/billable_metrics/going");
    expect(body.billable_metric).toMatchObject({ code: "going", plans_count: 2 });
    expect(await chargesOf("losing")).toEqual([kept]);
    expect(await chargesOf("emptied")).toEqual([]);
    await createMetric("going");
    expect((await showMetric("going")).plans_count).toBe(0);
    expect(await chargesOf("emptied")).toEqual([]);
  });

  test("gets no new charge, not even at the same moment", async () => {
    const gone = await createMetric("gone");
    await call("DELETE", "/billable_metrics/gone");
    for (const id of [gone, "no UUID"])
      expect((await call("POST", "/plans", aPlan("late", [chargeOn(id)]))).body).toMatchObject({
        status: 404,
        error: "Not Found",
        code: "billable_metrics_not_found",
      });
    for (const round of Array.from({ length: 8 }, (_, index) => `leaving-${index}`)) {
      const id = await createMetric(round);
      const [deleted, planned] = await Promise.all([
        call("DELETE", `/billable_metrics/${round}`),
        call("POST", "/plans", aPlan(round, [chargeOn(id)])),
      ]);
      expect([deleted.status, planned.status]).toEqual([200, planned.status === 200 ? 200 : 404]);
      if (planned.status === 200) expect(await chargesOf(round)).toEqual([]);
    }
  });
});
