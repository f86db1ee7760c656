import { expect, test } from "vitest";
import { startTallystick } from "../../../testing/start-tallystick.ts";

const { call, organizations } = await startTallystick();
const other = { key: organizations[1]?.key ?? "" };

const METRIC = {
  aggregation_type: "sum_agg",
  field_name: "v",
  filters: [
    { key: "region", values: ["asia", "eu", "us"] },
    { key: "tier", values: ["gold", "silver"] },
  ],
};
const makeMetric = async (code: string, options = {}): Promise<string> => {
  const { body } = await call(
    "POST",
    "/billable_metrics",
    { billable_metric: { name: code, code, ...METRIC } },
    options,
  );
  return body.billable_metric.svc_id;
};
const changeMetric = (code: string, filters: object[], options = {}) =>
  call("PUT", `/billable_metrics/${code}`, { billable_metric: { filters } }, options);
const makePlan = async (code: string, charges: object[], options = {}) => {
  const terms = { name: code, interval: "monthly", amount_cents: 1, amount_currency: "EUR", pay_in_advance: false };
  const { body } = await call("POST", "/plans", { plan: { ...terms, code, charges } }, options);
  return body.plan;
};
const show = async (code: string, options = {}) => (await call("GET", `/plans/${code}`, undefined, options)).body.plan;
const chargeOn = (metricId: string, ...values: object[]) => ({
  billable_metric_id: metricId,
  charge_model: "standard",
  filters: values.map((one, index) => ({ values: one, properties: { amount: String(index + 1) } })),
});
const valuesOf = ({ filters }: { filters: { values: object; properties: object }[] }) =>
  filters.map(({ values }) => values);

test("values removed from a metric are removed from the filters of its charges; a filter without values of a key is deleted", async () => {
  const [metric, unchanged] = [await makeMetric("calls"), await makeMetric("others")];
  const filters = [
    { region: ["us", "eu"] },
    { region: ["us"] },
    { region: ["asia"], tier: ["gold"] },
    { region: ["__ALL_FILTER_VALUES__"] },
    { tier: ["gold"] },
  ];
  const before = await makePlan("follows", [chargeOn(metric, ...filters), chargeOn(unchanged, ...filters)]);
  const theirMetric = await makeMetric("calls", other);
  const theirs = await makePlan("follows", [chargeOn(theirMetric, ...filters)], other);

  await changeMetric("calls", [{ key: "region", values: ["asia", "eu"] }]);
  const [charge, untouched] = (await show("follows")).charges;
  expect(valuesOf(charge)).toEqual([{ region: ["eu"] }, { region: ["__ALL_FILTER_VALUES__"] }]);
  expect(charge.filters.map(({ properties }: { properties: object }) => properties)).toEqual([
    { amount: "1" },
    { amount: "4" },
  ]);
  expect(charge.svc_id).toBe(before.charges[0].svc_id);
  expect(untouched).toEqual(before.charges[1]);
  expect(await show("follows", other)).toEqual(theirs);

  await changeMetric("calls", []);
  expect(valuesOf((await show("follows")).charges[0])).toEqual([]);
});

test("a plan can be changed after its metric changed, and new values can be used", async () => {
  const metric = await makeMetric("grows");
  const { charges } = await makePlan("grows", [chargeOn(metric, { region: ["us"] }, { tier: ["gold"] })]);
  await changeMetric("grows", [{ key: "region", values: ["mars", "us"] }]);
  const { body } = await call("PUT", "/plans/grows", { plan: { name: "Renamed" } });
  expect(body.plan.name).toBe("Renamed");
  expect(valuesOf(body.plan.charges[0])).toEqual([{ region: ["us"] }]);
  const filters = [{ values: { region: ["mars"] } }];
  const changed = await call("PUT", "/plans/grows", { plan: { charges: [{ id: charges[0].svc_id, filters }] } });
  expect(valuesOf(changed.body.plan.charges[0])).toEqual([{ region: ["mars"] }]);
});

test("the charges on a deleted metric are removed from every plan", async () => {
  const [going, staying] = [await makeMetric("going"), await makeMetric("staying")];
  const both = await makePlan("both", [chargeOn(going), chargeOn(staying), chargeOn(going, { region: ["eu"] })]);
  await makePlan("only", [chargeOn(going)]);
  const theirs = await makePlan("both", [chargeOn(await makeMetric("going", other))], other);
  await call("DELETE", "/billable_metrics/going");
  expect(await show("both")).toEqual({ ...both, charges: [both.charges[1]] });
  expect((await show("only")).charges).toEqual([]);
  expect(await show("both", other)).toEqual(theirs);
  expect((await call("PUT", "/plans/only", { plan: { name: "Empty" } })).body.plan.name).toBe("Empty");
});

test("a metric that loses values while plans get charges on it leaves none of the values behind", async () => {
  for (let round = 0; round < 8; round++) {
    const metric = await makeMetric(`race ${round}`);
    const plans = Array.from({ length: 4 }, (_, index) => `race ${round}.${index}`);
    await Promise.all([
      ...plans.map((code) => makePlan(code, [chargeOn(metric, { region: ["us"] }, { region: ["eu"] })])),
      changeMetric(encodeURIComponent(`race ${round}`), [{ key: "region", values: ["eu"] }]),
    ]);
    for (const code of plans) {
      const plan = await show(encodeURIComponent(code));
      // The plan is refused if it came after the change of the metric.
      if (plan) expect(valuesOf(plan.charges[0])).toEqual([{ region: ["eu"] }]);
    }
  }
});

test("a metric that is deleted while plans get charges on it leaves none of its charges behind", async () => {
  for (let round = 0; round < 8; round++) {
    const metric = await makeMetric(`end ${round}`);
    const plans = Array.from({ length: 4 }, (_, index) => `end ${round}.${index}`);
    await Promise.all([
      ...plans.map((code) => makePlan(code, [chargeOn(metric)])),
      call("DELETE", `/billable_metrics/${encodeURIComponent(`end ${round}`)}`),
    ]);
    for (const code of plans) expect((await show(encodeURIComponent(code)))?.charges ?? []).toEqual([]);
  }
});

test("a charge that is changed while its metric loses a value never keeps the value", async () => {
  for (let round = 0; round < 8; round++) {
    const metric = await makeMetric(`edit ${round}`);
    const { charges } = await makePlan(`edit ${round}`, [chargeOn(metric, { region: ["eu"] })]);
    const filters = [{ values: { region: ["us"] } }, { values: { region: ["eu"] } }];
    const path = `/plans/${encodeURIComponent(`edit ${round}`)}`;
    const answers = await Promise.all([
      call("PUT", path, { plan: { charges: [{ id: charges[0].svc_id, filters }] } }),
      call("PUT", path, { plan: { charges: [{ ...chargeOn(metric), id: charges[0].svc_id, filters }] } }),
      changeMetric(encodeURIComponent(`edit ${round}`), [{ key: "region", values: ["eu"] }]),
    ]);
    expect(answers[2]?.status).toBe(200);
    expect(valuesOf((await call("GET", path)).body.plan.charges[0])).toEqual([{ region: ["eu"] }]);
  }
});
