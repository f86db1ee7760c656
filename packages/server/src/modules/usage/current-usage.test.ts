import { describe, expect, it, test } from "vitest";
import { inOrganization } from "../../platform/postgres/database.ts";
import { startTallystick } from "../../testing/start-tallystick.ts";
import { type SubscribedCustomer, subscribeCustomer } from "../../testing/subscribed-customer.ts";
import { findCustomer, holdCustomer } from "../customers/index.ts";

const { platform, call, organizations } = await startTallystick();
const [mine = { id: "", key: "" }, theirs = { id: "", key: "" }] = organizations;

const COUNT = { aggregation_type: "count_agg" };
const SUM = { aggregation_type: "sum_agg", field_name: "v" };
const SEATS = { aggregation_type: "unique_count_agg", field_name: "user", recurring: true };

type Charge = { billable_metric: { name: string }; units: string; events_count: number; amount_cents: number };

/** For each charge: metric, units, events, cents. */
async function figures(of: SubscribedCustomer): Promise<string[]> {
  const { status, body, text } = await of.usage();
  expect(status, text).toBe(200);
  return body.customer_usage.charges_usage.map(
    ({ billable_metric, units, events_count, amount_cents }: Charge) =>
      `${billable_metric.name}: ${units} units, ${events_count} events, ${amount_cents} cents`,
  );
}

async function totals(of: SubscribedCustomer, query = ""): Promise<number[]> {
  const { amount_cents, taxes_amount_cents, total_amount_cents } = (await of.usage(query)).body.customer_usage;
  return [amount_cents, taxes_amount_cents, total_amount_cents];
}

test("the whole response: every charge of the plan, priced to the end of the period, with taxes", async () => {
  const acme = await subscribeCustomer(call, {
    now: "2024-03-10T09:30:15.5Z",
    metrics: { calls: COUNT },
    charges: [{ metric: "calls", properties: { amount: "0.07" }, invoice_display_name: "API calls" }],
    customer: { timezone: "Europe/Paris" },
  });
  await acme.send("calls", {}, {}, { timestamp: "2024-03-31T21:59:59.999Z" }, { timestamp: "2024-03-31T22:00:00Z" });
  const { body } = await acme.usage();
  const [charge] = (await call("GET", `/plans/plan%20${acme.mark}`)).body.plan.charges;
  expect(body).toEqual({
    customer_usage: {
      from_datetime: "2024-03-10T09:30:15Z",
      to_datetime: "2024-03-31T21:59:59Z",
      issuing_date: "2024-04-01",
      currency: "EUR",
      amount_cents: 21,
      taxes_amount_cents: 0,
      total_amount_cents: 21,
      svc_invoice_id: null,
      charges_usage: [
        {
          units: "3.0",
          total_aggregated_units: "3.0",
          events_count: 3,
          amount_cents: 21,
          amount_currency: "EUR",
          charge: { svc_id: charge.svc_id, charge_model: "standard", invoice_display_name: "API calls" },
          billable_metric: {
            svc_id: charge.svc_billable_metric_id,
            name: "calls",
            code: acme.metricCode("calls"),
            aggregation_type: "count_agg",
          },
          filters: [],
          grouped_usage: [],
        },
      ],
    },
  });
});

describe("charges", () => {
  it("are listed by name of their metric, even without usage", async () => {
    const acme = await subscribeCustomer(call, {
      now: "2024-03-01T00:00:00Z",
      metrics: { storage: SUM, api: COUNT, messages: COUNT },
      charges: [
        { metric: "storage", properties: { amount: "2" } },
        { metric: "messages", properties: { amount: "1" } },
        { metric: "api", properties: { amount: "0.5" } },
      ],
    });
    await acme.send("storage", { v: "12.5" }, { v: "junk" }, {});
    expect(await figures(acme)).toEqual([
      "api: 0.0 units, 0 events, 0 cents",
      "messages: 0.0 units, 0 events, 0 cents",
      "storage: 12.5 units, 1 events, 2500 cents",
    ]);
  });

  it("a plan without charges has none, and costs nothing", async () => {
    const acme = await subscribeCustomer(call, { now: "2024-03-01T00:00:00Z", metrics: {}, charges: [] });
    expect((await acme.usage()).body.customer_usage).toMatchObject({ amount_cents: 0, charges_usage: [] });
  });

  it("a minimum and the plan's own fee are not part of usage", async () => {
    const acme = await subscribeCustomer(call, {
      now: "2024-03-01T00:00:00Z",
      metrics: { calls: COUNT },
      charges: [{ metric: "calls", properties: { amount: "1" }, min_amount_cents: 5000 }],
      plan: { amount_cents: 9900, minimum_commitment: { amount_cents: 100_000 } },
    });
    await acme.send("calls", {});
    expect(await totals(acme)).toEqual([100, 0, 100]);
  });

  it("digits of properties and amounts are never lost", async () => {
    const acme = await subscribeCustomer(call, {
      now: "2024-03-01T00:00:00Z",
      metrics: { bytes: SUM },
      charges: [{ metric: "bytes", properties: { amount: "10" } }],
    });
    const raw = `{"event":{"transaction_id":"${acme.mark} long","external_subscription_id":"${acme.subscription}",
      "code":"${acme.metricCode("bytes")}","properties":{"v":900719925474099399.0000000000000000000000001}}}`;
    expect((await call("POST", "/events", undefined, { raw })).status).toBe(200);
    const { text } = await acme.usage();
    expect(text).toContain('"units":"900719925474099399.0000000000000000000000001"');
    expect(text).toContain('"amount_cents":900719925474099399000,');
    expect(text).toContain('"total_amount_cents":900719925474099399000,');
  });
});

describe("filters and groups", () => {
  const metrics = {
    calls: {
      ...COUNT,
      filters: [
        { key: "region", values: ["us", "eu"] },
        { key: "tier", values: ["gold", "silver"] },
      ],
    },
  };

  it("one item for each filter, with the values of the charge, and one for the rest", async () => {
    const acme = await subscribeCustomer(call, {
      now: "2024-03-01T00:00:00Z",
      metrics,
      charges: [
        {
          metric: "calls",
          properties: { amount: "0.5" },
          filters: [
            { values: { region: ["us"] }, properties: { amount: "1" } },
            {
              values: { region: ["us"], tier: ["__ALL_FILTER_VALUES__"] },
              properties: { amount: "3" },
              invoice_display_name: "US with tier",
            },
          ],
        },
      ],
    });
    await acme.send(
      "calls",
      { region: "us", tier: "gold" },
      { region: "us", tier: "bronze" },
      { region: "us" },
      { region: "eu" },
    );
    const [usage] = (await acme.usage()).body.customer_usage.charges_usage;
    expect([usage.units, usage.events_count, usage.amount_cents]).toEqual(["4.0", 4, 550]);
    expect(usage.filters).toEqual([
      {
        units: "2.0",
        total_aggregated_units: "2.0",
        events_count: 2,
        amount_cents: 200,
        invoice_display_name: null,
        values: { region: ["us"] },
      },
      {
        units: "1.0",
        total_aggregated_units: "1.0",
        events_count: 1,
        amount_cents: 300,
        invoice_display_name: "US with tier",
        values: { region: ["us"], tier: ["__ALL_FILTER_VALUES__"] },
      },
      {
        units: "1.0",
        total_aggregated_units: "1.0",
        events_count: 1,
        amount_cents: 50,
        invoice_display_name: null,
        values: null,
      },
    ]);
    expect(usage.grouped_usage).toEqual([]);
  });

  it("groups are rounded one by one and show their filters", async () => {
    const acme = await subscribeCustomer(call, {
      now: "2024-03-01T00:00:00Z",
      metrics,
      charges: [
        {
          metric: "calls",
          properties: { amount: "0.015", grouped_by: ["team"] },
          filters: [{ values: { region: ["us"] }, properties: { amount: "1", grouped_by: ["team"] } }],
        },
      ],
    });
    await acme.send("calls", { team: "a" }, { team: "b" }, { team: "a", region: "us" }, { team: "" }, {});
    const [usage] = (await acme.usage()).body.customer_usage.charges_usage;
    expect(usage.amount_cents).toBe(2 + 2 + 100 + 3);
    const us = { invoice_display_name: null, values: { region: ["us"] } };
    const rest = { invoice_display_name: null, values: null };
    expect(usage.grouped_usage).toEqual([
      {
        units: "2.0",
        total_aggregated_units: "2.0",
        events_count: 2,
        amount_cents: 102,
        grouped_by: { team: "a" },
        filters: [
          { units: "1.0", total_aggregated_units: "1.0", events_count: 1, amount_cents: 100, ...us },
          { units: "1.0", total_aggregated_units: "1.0", events_count: 1, amount_cents: 2, ...rest },
        ],
      },
      {
        units: "1.0",
        total_aggregated_units: "1.0",
        events_count: 1,
        amount_cents: 2,
        grouped_by: { team: "b" },
        filters: [{ units: "1.0", total_aggregated_units: "1.0", events_count: 1, amount_cents: 2, ...rest }],
      },
      {
        units: "2.0",
        total_aggregated_units: "2.0",
        events_count: 2,
        amount_cents: 3,
        grouped_by: { team: null },
        filters: [{ units: "2.0", total_aggregated_units: "2.0", events_count: 2, amount_cents: 3, ...rest }],
      },
    ]);
  });
});

describe("charges in advance cost the price of the highest total", () => {
  it("a sum: +10 and -4 stay at 10.00, +8 makes 14.00", async () => {
    const acme = await subscribeCustomer(call, {
      now: "2024-03-01T00:00:00Z",
      metrics: { bytes: SUM },
      charges: [{ metric: "bytes", pay_in_advance: true, properties: { amount: "1" } }],
    });
    await acme.send("bytes", { v: 10 });
    await acme.send("bytes", { v: -4 });
    expect(await figures(acme)).toEqual(["bytes: 10.0 units, 2 events, 1000 cents"]);
    // Accepted later, although it happened before: charged amounts stay.
    await acme.send("bytes", { v: 8, timestamp: "2024-03-01T00:00:00Z" });
    expect(await figures(acme)).toEqual(["bytes: 14.0 units, 3 events, 1400 cents"]);
  });

  it("seats: a seat that is added again is not paid twice", async () => {
    const acme = await subscribeCustomer(call, {
      now: "2024-03-01T00:00:00Z",
      metrics: { seats: { ...SEATS, recurring: false } },
      charges: [{ metric: "seats", pay_in_advance: true, properties: { amount: "12" } }],
    });
    const remove = { operation_type: "remove" };
    await acme.send(
      "seats",
      { user: "A" },
      { user: "A", ...remove },
      { user: "A" },
      { user: "B" },
      { user: "B", ...remove },
    );
    expect(await figures(acme)).toEqual(["seats: 2.0 units, 2 events, 2400 cents"]);
  });

  it("a count works the same way, and filters have their own totals", async () => {
    const acme = await subscribeCustomer(call, {
      now: "2024-03-01T00:00:00Z",
      metrics: { calls: { ...COUNT, filters: [{ key: "region", values: ["eu"] }] }, bytes: SUM },
      charges: [
        {
          metric: "calls",
          pay_in_advance: true,
          properties: { amount: "1" },
          filters: [{ values: { region: ["eu"] }, properties: { amount: "2" } }],
        },
        { metric: "bytes", properties: { amount: "1" } },
      ],
    });
    await acme.send("calls", { region: "eu" }, { region: "eu" }, {});
    await acme.send("bytes", { v: 3 });
    expect(await figures(acme)).toEqual([
      "bytes: 3.0 units, 1 events, 300 cents",
      "calls: 3.0 units, 3 events, 500 cents",
    ]);
  });

  it("a recurring, prorated charge: units from before the period count in full, later ones by their days", async () => {
    const acme = await subscribeCustomer(call, {
      now: "2024-08-01T00:00:00Z",
      metrics: { seats: { ...SUM, recurring: true } },
      charges: [{ metric: "seats", pay_in_advance: true, prorated: true, properties: { amount: "30" } }],
    });
    await acme.send("seats", { v: 2 });
    await acme.advanceTo("2024-09-10T12:00:00Z");
    expect(await figures(acme)).toEqual(["seats: 2.0 units, 1 events, 6000 cents"]);
    await acme.send("seats", { v: 1 });
    expect(await figures(acme)).toEqual(["seats: 3.0 units, 2 events, 8100 cents"]);
  });
});

describe("recurring metrics", () => {
  const input = {
    now: "2024-01-10T00:00:00Z",
    metrics: { seats: SEATS },
    charges: [{ metric: "seats", properties: { amount: "10" } }],
  };

  it("units in use are shown in every later period", async () => {
    const acme = await subscribeCustomer(call, input);
    await acme.send("seats", { user: "A" }, { user: "B" });
    await acme.advanceTo("2024-03-15T00:00:00Z");
    expect((await acme.usage()).body.customer_usage.from_datetime).toBe("2024-03-01T00:00:00Z");
    expect(await figures(acme)).toEqual(["seats: 2.0 units, 2 events, 2000 cents"]);
    await acme.send("seats", { user: "A", operation_type: "remove" });
    expect(await figures(acme)).toEqual(["seats: 1.0 units, 1 events, 1000 cents"]);
  });

  it("nothing is inherited from another customer who had the external id before", async () => {
    const first = await subscribeCustomer(call, { ...input, subscription: { external_id: "passed on" } });
    const send = (user: string, timestamp: string) =>
      call("POST", "/events", {
        event: {
          transaction_id: `passed on ${user}`,
          external_subscription_id: "passed on",
          code: first.metricCode("seats"),
          timestamp: Temporal.Instant.from(timestamp).epochMilliseconds / 1000,
          properties: { user },
        },
      });
    await send("A", "2024-01-11T00:00:00Z");
    await first.advanceTo("2024-01-20T00:00:00Z");
    expect((await call("DELETE", "/subscriptions/passed%20on")).status).toBe(200);
    const { body } = await call("POST", "/test_clocks", {
      test_clock: { name: "second", now: "2024-01-25T00:00:00Z" },
    });
    await call("POST", "/customers", { customer: { external_id: "heir", test_clock_id: body.test_clock.svc_id } });
    await call("POST", "/subscriptions", {
      subscription: { external_customer_id: "heir", plan_code: `plan ${first.mark}`, external_id: "passed on" },
    });
    await send("B", "2024-01-26T00:00:00Z");
    const usage = await call("GET", "/customers/heir/current_usage?external_subscription_id=passed%20on");
    expect(usage.body.customer_usage.charges_usage[0].units).toBe("1.0");
  });
});

describe("the window", () => {
  it("of a yearly plan whose charges are billed monthly is the month", async () => {
    const acme = await subscribeCustomer(call, {
      now: "2023-11-15T00:00:00Z",
      metrics: { calls: COUNT },
      charges: [{ metric: "calls", properties: { amount: "1" } }],
      plan: { interval: "yearly", bill_charges_monthly: true },
    });
    await acme.send("calls", {}, { timestamp: "2023-12-20T00:00:00Z" });
    const { customer_usage } = (await acme.usage()).body;
    expect(customer_usage).toMatchObject({
      from_datetime: "2023-11-15T00:00:00Z",
      to_datetime: "2023-11-30T23:59:59Z",
      issuing_date: "2023-12-01",
      amount_cents: 100,
    });
  });

  it("follows the customer's local days", async () => {
    const acme = await subscribeCustomer(call, {
      now: "2024-02-20T00:00:00Z",
      metrics: { calls: COUNT },
      charges: [{ metric: "calls", properties: { amount: "1" } }],
      customer: { timezone: "Asia/Tokyo" },
    });
    await acme.advanceTo("2024-02-29T15:00:00Z");
    await acme.send("calls", { timestamp: "2024-02-29T14:59:59Z" }, {});
    expect((await acme.usage()).body.customer_usage).toMatchObject({
      from_datetime: "2024-02-29T15:00:00Z",
      to_datetime: "2024-03-31T14:59:59Z",
      issuing_date: "2024-04-01",
      amount_cents: 100,
    });
  });

  it("begins with an upgrade: its exact instant belongs to the new plan", async () => {
    const acme = await subscribeCustomer(call, {
      now: "2024-03-01T00:00:00Z",
      metrics: { calls: COUNT },
      charges: [{ metric: "calls", properties: { amount: "1" } }],
    });
    const metric = (await call("GET", `/billable_metrics/${encodeURIComponent(acme.metricCode("calls"))}`)).body;
    await acme.send("calls", {}, {});
    await acme.advanceTo("2024-03-15T12:00:00Z");
    const charge = {
      billable_metric_id: metric.billable_metric.svc_id,
      charge_model: "standard",
      properties: { amount: "2" },
    };
    const plan = {
      name: "More",
      code: `more ${acme.mark}`,
      interval: "monthly",
      amount_cents: 100,
      amount_currency: "EUR",
    };
    expect((await call("POST", "/plans", { plan: { ...plan, pay_in_advance: false, charges: [charge] } })).status).toBe(
      200,
    );
    const subscription = { external_customer_id: acme.customer, external_id: acme.subscription, plan_code: plan.code };
    expect((await call("POST", "/subscriptions", { subscription })).status).toBe(200);
    await acme.send("calls", {});
    expect((await acme.usage()).body.customer_usage.from_datetime).toBe("2024-03-15T12:00:00Z");
    expect(await figures(acme)).toEqual(["calls: 1.0 units, 1 events, 200 cents"]);
  });
});

describe("taxes", () => {
  const charges = [{ metric: "calls", properties: { amount: "1" } }];
  const subscribe = async (levels: { charge?: string[]; plan?: string[]; customer?: string[] }) => {
    const acme = await subscribeCustomer(call, {
      now: "2024-03-01T00:00:00Z",
      metrics: { calls: COUNT },
      charges: charges.map((charge) => ({ ...charge, tax_codes: levels.charge ?? [] })),
      plan: { tax_codes: levels.plan ?? [] },
      customer: { tax_codes: levels.customer ?? [] },
    });
    await acme.send("calls", {});
    return totals(acme);
  };

  it("are those of the nearest level that has some: charge, plan, customer, organization", async () => {
    for (const [code, rate] of Object.entries({ five: "5", ten: "10", twenty: "20" }))
      await call("POST", "/taxes", { tax: { name: code, code, rate } });
    const all = { charge: ["five", "ten"], plan: ["ten"], customer: ["twenty"] };
    expect(await subscribe(all)).toEqual([100, 15, 115]);
    expect(await subscribe({ ...all, charge: [] })).toEqual([100, 10, 110]);
    expect(await subscribe({ customer: ["twenty"] })).toEqual([100, 20, 120]);
    expect(await subscribe({})).toEqual([100, 0, 100]);
    await call("POST", "/taxes", {
      tax: { name: "Default", code: "default", rate: "50", applied_to_organization: true },
    });
    expect(await subscribe({})).toEqual([100, 50, 150]);
    await call("DELETE", "/taxes/default");
    expect(await subscribe({})).toEqual([100, 0, 100]);
  });

  it("are omitted on request", async () => {
    const acme = await subscribeCustomer(call, {
      now: "2024-03-01T00:00:00Z",
      metrics: { calls: COUNT },
      charges: charges.map((charge) => ({ ...charge, tax_codes: ["twenty"] })),
    });
    await acme.send("calls", {});
    expect(await totals(acme, "&apply_taxes=false")).toEqual([100, 0, 100]);
    expect(await totals(acme, "&apply_taxes=true")).toEqual([100, 20, 120]);
    expect(await totals(acme, "&apply_taxes=perhaps")).toEqual([100, 20, 120]);
  });
});

const acme = await subscribeCustomer(call, { now: "2024-03-01T00:00:00Z", metrics: {}, charges: [] });

describe("refused requests", () => {
  const ask = (customer: string, query: string, key = mine.key) =>
    call("GET", `/customers/${encodeURIComponent(customer)}/current_usage${query}`, undefined, { key });
  const NONE = { status: 405, error: "Method Not Allowed", code: "no_active_subscription" };

  it("an unknown customer is 404, including one of another organization", async () => {
    const unknown = { status: 404, error: "Not Found", code: "customer_not_found" };
    const query = `?external_subscription_id=${encodeURIComponent(acme.subscription)}`;
    expect((await ask("nobody", query)).body).toEqual(unknown);
    expect((await ask(acme.customer, query, theirs.key)).body).toEqual(unknown);
  });

  it("no active subscription is 405: none, one of another customer, a pending one, one that has ended", async () => {
    const other = await subscribeCustomer(call, { now: "2024-03-01T00:00:00Z", metrics: {}, charges: [] });
    const waits = await subscribeCustomer(call, {
      now: "2024-03-01T00:00:00Z",
      metrics: {},
      charges: [],
      subscription: { subscription_at: "2024-05-01T00:00:00Z" },
    });
    expect((await ask(acme.customer, "?external_subscription_id=none")).body).toEqual(NONE);
    expect(
      (await ask(acme.customer, `?external_subscription_id=${encodeURIComponent(other.subscription)}`)).body,
    ).toEqual(NONE);
    expect((await waits.usage()).body).toEqual(NONE);
    await other.advanceTo("2024-03-05T00:00:00Z");
    expect((await call("DELETE", `/subscriptions/${encodeURIComponent(other.subscription)}`)).status).toBe(200);
    expect((await other.usage()).body).toEqual(NONE);
  });

  it("a request without a subscription is 422", async () => {
    for (const query of ["", "?external_subscription_id=", "?external_subscription_id=%20"])
      expect((await ask(acme.customer, query)).body).toMatchObject({
        status: 422,
        error: "Unprocessable Entity",
        code: "validation_errors",
        error_details: { external_subscription_id: ["value_is_mandatory"] },
      });
  });
});

test("two organizations with the same names each see their own usage", async () => {
  const asTheirs: typeof call = (method, path, body, options) =>
    call(method, path, body, { ...options, key: theirs.key });
  const options = {
    now: "2024-03-01T00:00:00Z",
    metrics: { calls: COUNT },
    charges: [{ metric: "calls", properties: { amount: "1" } }],
    subscription: { external_id: "same" },
  };
  const [ours, other] = [await subscribeCustomer(call, options), await subscribeCustomer(asTheirs, options)];
  const sendAll = async (as: typeof call, code: string) => {
    const event = { transaction_id: code, external_subscription_id: "same", code };
    expect((await as("POST", "/events", { event })).status).toBe(200);
  };
  const cents = async (of: SubscribedCustomer, as: typeof call) => {
    const path = `/customers/${encodeURIComponent(of.customer)}/current_usage?external_subscription_id=same`;
    return (await as("GET", path)).body.customer_usage.amount_cents;
  };
  // Each organization sends events with the metric code of the other.
  await sendAll(call, other.metricCode("calls"));
  await sendAll(asTheirs, ours.metricCode("calls"));
  expect([await cents(ours, call), await cents(other, asTheirs)]).toEqual([0, 0]);
  await sendAll(call, ours.metricCode("calls"));
  expect([await cents(ours, call), await cents(other, asTheirs)]).toEqual([100, 0]);
});

test("reading usage does not wait for a locked customer", async () => {
  const acme = await subscribeCustomer(call, { now: "2024-03-01T00:00:00Z", metrics: {}, charges: [] });
  await inOrganization(platform.db, mine.id, async (tx) => {
    const customer = await findCustomer(tx, mine.id, acme.customer);
    expect(customer && (await holdCustomer(tx, mine.id, customer, platform.clock))).toBeDefined();
    expect((await acme.usage()).status).toBe(200);
  });
});
