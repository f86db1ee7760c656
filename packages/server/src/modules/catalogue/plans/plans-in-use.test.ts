/** What can still change once a plan has subscriptions, and what a subscription can override. */
import { beforeAll, describe, expect, it, test } from "vitest";
import { startTallystick } from "../../../testing/start-tallystick.ts";

const { call } = await startTallystick({ organizations: 1 });

const METRIC = {
  name: "Seats",
  code: "seats",
  aggregation_type: "unique_count_agg",
  field_name: "id",
  recurring: true,
};
const CHARGE = {
  billable_metric_code: "seats",
  charge_model: "standard",
  pay_in_advance: true,
  invoiceable: false,
  regroup_paid_fees: "invoice",
  prorated: true,
  min_amount_cents: 0,
  properties: { amount: "1" },
};
const PLAN = {
  name: "Scale",
  interval: "yearly",
  amount_cents: 5000,
  amount_currency: "EUR",
  pay_in_advance: false,
  trial_period: 10,
  bill_charges_monthly: true,
};
const inUse = (...members: string[]) => ({
  status: 422,
  error: "Unprocessable Entity",
  code: "validation_errors",
  error_details: Object.fromEntries(members.map((name) => [name, ["not_changeable_in_use"]])),
});
const change = (code: string, plan: object) => call("PUT", `/plans/${code}`, { plan });
const show = async (code: string) => (await call("GET", `/plans/${code}`)).body.plan;
const makePlan = async (code: string, charges: readonly object[] = [CHARGE]) =>
  (await call("POST", "/plans", { plan: { ...PLAN, code, charges } })).body.plan;
const subscribe = (plan_code: string, name: string, members: object = {}) =>
  call("POST", "/subscriptions", {
    subscription: { external_customer_id: name, external_id: name, plan_code, ...members },
  });

beforeAll(async () => {
  await call("POST", "/billable_metrics", { billable_metric: METRIC });
});

describe("a plan with subscriptions", () => {
  let charge: { svc_id: string };
  beforeAll(async () => {
    [charge] = (await makePlan("used")).charges;
    await subscribe("used", "acme");
  });

  it.each([
    { code: "other" },
    { interval: "monthly" },
    { amount_currency: "USD" },
    { pay_in_advance: true },
    { trial_period: 11 },
    { trial_period: null },
    { bill_charges_monthly: false },
  ])("refuses %j, and stays as it is", async (members) => {
    const before = await show("used");
    const [name = ""] = Object.keys(members);
    expect((await change("used", { ...members, name: "New" })).body).toEqual(inUse(name));
    expect(await show("used")).toEqual(before);
  });

  it.each([
    { charge_model: "package" },
    { pay_in_advance: false },
    { invoiceable: true },
    { regroup_paid_fees: null },
    { prorated: false },
    { min_amount_cents: 5 },
  ])("refuses a charge with %j, and stays as it is", async (members) => {
    const before = await show("used");
    const [name = ""] = Object.keys(members);
    const charges = [{ id: charge.svc_id, ...members, properties: { amount: "2" } }];
    expect((await change("used", { charges })).body).toEqual(inUse(name));
    expect(await show("used")).toEqual(before);
  });

  it("takes the whole plan as it was sent or shown, with other prices", async () => {
    const sent = { ...PLAN, code: "used", charges: [{ ...CHARGE, id: charge.svc_id, properties: { amount: "2.50" } }] };
    const { status, body } = await change("used", sent);
    expect([status, body.plan?.charges[0].properties]).toEqual([200, { amount: "2.50" }]);
    const charges = body.plan.charges.map((one: { svc_id: string }) => ({ ...one, id: one.svc_id }));
    expect((await change("used", { ...body.plan, charges })).body).toEqual(body);
  });

  it("takes new charges of any model", async () => {
    const added = { ...CHARGE, charge_model: "standard", prorated: false, regroup_paid_fees: null };
    const { status } = await change("used", { charges: [{ id: charge.svc_id }, added] });
    expect(status).toBe(200);
  });
});

test("a plan whose subscriptions have all ended refuses too: their last bills depend on it", async () => {
  await makePlan("ended");
  await subscribe("ended", "gone");
  await call("DELETE", "/subscriptions/gone");
  expect((await change("ended", { interval: "monthly" })).body).toEqual(inUse("interval"));
});

describe("plan_overrides.charges", () => {
  const OTHER = { charge_model: "package", pay_in_advance: false, invoiceable: true, prorated: false };
  const PROPERTIES = { amount: "9.00", free_units: 0, package_size: 10 };
  let id = "";
  beforeAll(async () => {
    // Without the regrouping of paid fees, which an override cannot change.
    id = (await makePlan("parent", [{ ...CHARGE, regroup_paid_fees: null }])).charges[0].svc_id;
  });
  const change = (name: string, charge: object) =>
    call("PUT", `/subscriptions/${name}`, { subscription: { plan_overrides: { charges: [{ id, ...charge }] } } });

  it("take every member of a charge when a subscription is made", async () => {
    const charge = {
      id,
      billable_metric_code: "seats",
      ...OTHER,
      min_amount_cents: 7,
      invoice_display_name: "Seats for one",
      properties: PROPERTIES,
      filters: [],
      tax_codes: [],
    };
    const { status, body } = await subscribe("parent", "one", { plan_overrides: { charges: [charge] } });
    expect(status, JSON.stringify(body)).toBe(200);
    const { id: _, tax_codes: _taxes, ...shown } = charge;
    expect(body.subscription.plan.charges).toMatchObject([shown]);
    expect((await show("parent")).charges).toMatchObject([{ charge_model: "standard", pay_in_advance: true }]);
  });

  it("take them until the subscription starts, and then refuse another model, timing or proration", async () => {
    await subscribe("parent", "later", { subscription_at: "2099-01-01T00:00:00Z" });
    const { status, body } = await change("later?status=pending", { ...OTHER, properties: PROPERTIES });
    expect([status, body.subscription?.plan.charges[0].charge_model]).toEqual([200, "package"]);
    await subscribe("parent", "running");
    expect((await change("running", { ...OTHER, properties: PROPERTIES })).body).toEqual(inUse(...Object.keys(OTHER)));
    const { regroup_paid_fees: _, ...same } = CHARGE;
    const changed = await change("running", { ...same, properties: { amount: "3.10" } });
    expect(changed.body.subscription.plan.charges).toMatchObject([{ properties: { amount: "3.10" } }]);
  });
});
