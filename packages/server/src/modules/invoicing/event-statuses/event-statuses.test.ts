import { randomBytes } from "node:crypto";
import { afterAll, describe, expect, test } from "vitest";
import { composeCountedApi } from "../../../testing/count-queries.ts";
import { startTallystick } from "../../../testing/start-tallystick.ts";
import {
  type SubscribedCustomer,
  type SubscriptionRequest,
  subscribeCustomer,
} from "../../../testing/subscribed-customer.ts";
import { verify } from "../../../verify/index.ts";

const { platform, call, organizations } = await startTallystick();
const [mine = { key: "" }, theirs = { key: "" }] = organizations;

const MARCH = "2024-03-01T00:00:00Z";
const APRIL = "2024-04-01T00:00:00Z";
const MAY = "2024-05-01T00:00:00Z";
const IN_MARCH = "2024-03-10T00:00:00Z";

const COUNT = { aggregation_type: "count_agg" };
const SUM = { aggregation_type: "sum_agg", field_name: "v" };
const SEATS = { aggregation_type: "unique_count_agg", field_name: "user", recurring: true };
const PRICE = { properties: { amount: "1" } };

/** A customer from March 1, by default with a charge on calls. */
const subscribe = (request: Partial<SubscriptionRequest> = {}): Promise<SubscribedCustomer> =>
  subscribeCustomer(call, {
    now: MARCH,
    metrics: { calls: COUNT },
    charges: [{ metric: "calls", ...PRICE }],
    ...request,
  });

type Shown = { transaction_id: string; status: string; reason: string | null; svc_fee_ids: string[] };

/** Oldest first. */
async function listOf(acme: SubscribedCustomer, externalId = acme.subscription): Promise<Shown[]> {
  const { body } = await call("GET", `/events?external_subscription_id=${encodeURIComponent(externalId)}`);
  return body.events.toSorted((one: Shown, other: Shown) =>
    one.transaction_id.localeCompare(other.transaction_id, "en", { numeric: true }),
  );
}

/** The status, or the reason why it is not billed, for each event in order of sending. */
const statusesOf = async (acme: SubscribedCustomer, externalId?: string): Promise<string[]> =>
  (await listOf(acme, externalId)).map(({ status, reason }) => reason ?? status);

const invoicesOf = async (acme: SubscribedCustomer) =>
  (await call("GET", `/invoices?external_customer_id=${encodeURIComponent(acme.customer)}`)).body.invoices as {
    svc_id: string;
    status: string;
  }[];

const feesOf = async (acme: SubscribedCustomer) =>
  (await call("GET", `/fees?external_subscription_id=${encodeURIComponent(acme.subscription)}`)).body.fees as {
    svc_id: string;
    svc_charge_filter_id: string | null;
    item: { type: string; grouped_by: object };
    from_date: string;
  }[];

const metricId = async (acme: SubscribedCustomer, name: string): Promise<string> =>
  (await call("GET", `/billable_metrics/${encodeURIComponent(acme.metricCode(name))}`)).body.billable_metric.svc_id;

/** Plan members that the request omits stay. */
async function changeCharges(acme: SubscribedCustomer, charges: readonly object[]): Promise<void> {
  const path = `/plans/${encodeURIComponent(`plan ${acme.mark}`)}`;
  const { plan } = (await call("GET", path)).body;
  const { name, code, interval, amount_cents, amount_currency, pay_in_advance } = plan;
  const terms = { name, code, interval, amount_cents, amount_currency, pay_in_advance };
  expect((await call("PUT", path, { plan: { ...terms, charges } })).status).toBe(200);
}

const end = (acme: SubscribedCustomer) => call("DELETE", `/subscriptions/${encodeURIComponent(acme.subscription)}`);

const begin = (acme: SubscribedCustomer, more: object = {}) =>
  call("POST", "/subscriptions", {
    subscription: {
      external_customer_id: acme.customer,
      external_id: acme.subscription,
      plan_code: `plan ${acme.mark}`,
      ...more,
    },
  });

describe("a billed event", () => {
  test("is open until its period is invoiced, then names its fee, in the list and alone", async () => {
    const acme = await subscribe();
    await acme.send("calls", { timestamp: IN_MARCH }, { timestamp: "2024-03-31T23:59:59Z" });
    expect(await statusesOf(acme)).toEqual(["open", "open"]);
    await acme.advanceTo(APRIL);
    const [fee] = (await feesOf(acme)).filter(({ item }) => item.type === "charge");
    const billed = { status: "billed", reason: null, svc_fee_ids: [fee?.svc_id] };
    expect(await listOf(acme)).toMatchObject([billed, billed]);
    const [first] = await listOf(acme);
    const { event } = (await call("GET", `/events/${encodeURIComponent(first?.transaction_id ?? "")}`)).body;
    expect(event).toEqual(first);
    expect(Object.keys(event).slice(-3)).toEqual(["status", "reason", "svc_fee_ids"]);
  });

  test("stays open while its invoice is a draft, also if it arrived after the draft was created", async () => {
    const acme = await subscribe({ customer: { billing_configuration: { invoice_grace_period: 3 } } });
    await acme.send("calls", { timestamp: IN_MARCH });
    await acme.advanceTo("2024-04-02T00:00:00Z");
    await acme.send("calls", { timestamp: IN_MARCH });
    expect(await statusesOf(acme)).toEqual(["open", "open"]);
    expect((await invoicesOf(acme)).map(({ status }) => status)).toEqual(["draft"]);
    await acme.advanceTo("2024-04-04T00:00:00Z");
    expect(await statusesOf(acme)).toEqual(["billed", "billed"]);
    await acme.send("calls", { timestamp: IN_MARCH });
    expect(await statusesOf(acme)).toEqual(["billed", "billed", "late"]);
  });

  test("names the fees of its own filter and group, one of each charge", async () => {
    const filter = { values: { region: ["eu"] }, properties: { amount: "2", grouped_by: ["team"] } };
    const acme = await subscribe({
      metrics: { calls: { ...COUNT, filters: [{ key: "region", values: ["eu", "us"] }] } },
      charges: [
        { metric: "calls", properties: { amount: "1" }, filters: [filter] },
        { metric: "calls", ...PRICE },
      ],
    });
    const of = (properties: object) => ({ timestamp: IN_MARCH, ...properties });
    await acme.send("calls", of({ region: "eu", team: "a" }), of({ region: "eu", team: "b" }), of({ region: "us" }));
    await acme.send("calls", of({ region: "eu", team: "a" }), of({ region: "eu" }));
    await acme.advanceTo(APRIL);
    const fees = await feesOf(acme);
    const nameOf = (id: string) => {
      const fee = fees.find(({ svc_id }) => svc_id === id);
      return `${fee?.svc_charge_filter_id ? "eu" : "all"} ${JSON.stringify(fee?.item.grouped_by)}`;
    };
    expect((await listOf(acme)).map(({ svc_fee_ids }) => svc_fee_ids.map(nameOf).toSorted())).toEqual([
      ["all {}", 'eu {"team":"a"}'],
      ["all {}", 'eu {"team":"b"}'],
      ["all {}", "all {}"],
      ["all {}", 'eu {"team":"a"}'],
      ["all {}", 'eu {"team":null}'],
    ]);
    // The values of the metric change later, but an event keeps its fee.
    await call("PUT", `/billable_metrics/${encodeURIComponent(acme.metricCode("calls"))}`, {
      billable_metric: { name: "calls", code: acme.metricCode("calls"), ...COUNT, filters: [] },
    });
    expect((await listOf(acme)).map(({ svc_fee_ids }) => svc_fee_ids.length)).toEqual([2, 2, 2, 2, 2]);
  });

  test("is billed for any grouping value, even one that is too long for an index", async () => {
    const acme = await subscribe({
      charges: [{ metric: "calls", properties: { amount: "1", grouped_by: ["team"] } }],
    });
    const long = randomBytes(6000).toString("base64");
    await acme.send("calls", { team: `${long} a` }, { team: `${long} b` }, { team: `${long} a` });
    await acme.advanceTo(APRIL);
    const ids = (await listOf(acme)).map(({ svc_fee_ids }) => svc_fee_ids[0]);
    expect(ids).toEqual([expect.any(String), expect.any(String), ids[0]]);
    expect(ids[1]).not.toBe(ids[0]);
  });

  test("names no fee if its fee is 0", async () => {
    const acme = await subscribe({ metrics: { seats: SEATS }, charges: [{ metric: "seats", ...PRICE }] });
    await acme.send("seats", { timestamp: IN_MARCH, user: "a", operation_type: "remove" });
    await acme.advanceTo(APRIL);
    expect(await listOf(acme)).toMatchObject([{ status: "billed", svc_fee_ids: [] }]);
  });

  test("is billed in a trial too: only the plan fee is free", async () => {
    const acme = await subscribe({ plan: { amount_cents: 1000, trial_period: 20 } });
    await acme.send("calls", { timestamp: IN_MARCH });
    await acme.advanceTo(APRIL);
    expect(await statusesOf(acme)).toEqual(["billed"]);
  });

  test("is billed by the metric at its time, even after the metric is deleted", async () => {
    const acme = await subscribe();
    await acme.send("calls", { timestamp: IN_MARCH });
    await acme.advanceTo(APRIL);
    await call("DELETE", `/billable_metrics/${encodeURIComponent(acme.metricCode("calls"))}`);
    await acme.send("calls", { timestamp: IN_MARCH }, { timestamp: APRIL });
    expect(await statusesOf(acme)).toEqual(["billed", "late", "unknown_code"]);
  });
});

describe("in advance", () => {
  const standalone = { metric: "calls", ...PRICE, pay_in_advance: true, invoiceable: false };

  test("an event in advance is billed at once, with its own fee", async () => {
    const acme = await subscribe({ charges: [{ metric: "calls", ...PRICE, pay_in_advance: true }] });
    await acme.send("calls", { timestamp: MARCH });
    expect(await statusesOf(acme)).toEqual(["open"]);
    await acme.advanceTo(IN_MARCH);
    await acme.advanceTo(MAY);
    await acme.send("calls", { timestamp: IN_MARCH });
    expect(await statusesOf(acme)).toEqual(["billed", "open"]);
    await acme.advanceTo("2024-05-02T00:00:00Z");
    const fees = (await feesOf(acme)).filter(({ item }) => item.type === "charge").map(({ svc_id }) => svc_id);
    expect((await listOf(acme)).map(({ svc_fee_ids }) => svc_fee_ids)).toEqual(fees.map((id) => [id]));
  });

  test("a charge added later does not bill earlier events, and a deleted fee bills nothing", async () => {
    const acme = await subscribe({
      metrics: { calls: COUNT, others: COUNT },
      charges: [{ ...standalone, metric: "others" }],
    });
    await acme.send("calls", { timestamp: MARCH });
    await acme.advanceTo("2024-03-02T00:00:00Z");
    expect(await statusesOf(acme)).toEqual(["no_charge"]);
    const { metric: _, ...charge } = standalone;
    await changeCharges(acme, [
      { billable_metric_id: await metricId(acme, "calls"), charge_model: "standard", ...charge },
    ]);
    await acme.send("calls", { timestamp: MARCH });
    await acme.advanceTo("2024-03-03T00:00:00Z");
    expect(await statusesOf(acme)).toEqual(["before_billing_began", "billed"]);
    const [, billed] = await listOf(acme);
    await call("DELETE", `/fees/${billed?.svc_fee_ids[0]}`);
    expect(await statusesOf(acme)).toEqual(["before_billing_began", "invoice_voided"]);
  });

  test("an event of both kinds of charges lists the fee in advance first, and both after the period is invoiced", async () => {
    const acme = await subscribe({ charges: [standalone, { metric: "calls", ...PRICE }] });
    await acme.send("calls", { timestamp: MARCH });
    await acme.advanceTo(IN_MARCH);
    expect(await listOf(acme)).toMatchObject([{ status: "billed", svc_fee_ids: [expect.any(String)] }]);
    await acme.advanceTo(APRIL);
    expect((await listOf(acme))[0]?.svc_fee_ids).toHaveLength(2);
  });
});

describe("an event of a recurring metric", () => {
  const recurring = { metrics: { seats: SEATS }, charges: [{ metric: "seats", ...PRICE }] };

  test("has the status of the first window that contains it: the next window bills a late event", async () => {
    const acme = await subscribe(recurring);
    await acme.send("seats", { timestamp: IN_MARCH, user: "a" });
    await acme.advanceTo(APRIL);
    await acme.send("seats", { timestamp: IN_MARCH, user: "b" });
    expect(await statusesOf(acme)).toEqual(["billed", "open"]);
    await acme.advanceTo(MAY);
    const fees = (await feesOf(acme)).filter(({ item }) => item.type === "charge");
    expect((await listOf(acme)).map(({ svc_fee_ids }) => svc_fee_ids)).toEqual(fees.map(({ svc_id }) => [svc_id]));
    await end(acme);
    await acme.send("seats", { timestamp: IN_MARCH, user: "c" });
    expect(await statusesOf(acme)).toEqual(["billed", "billed", "late"]);
  });

  test("between two subscriptions is billed by the next one", async () => {
    const acme = await subscribe(recurring);
    await acme.advanceTo(IN_MARCH);
    await end(acme);
    await acme.advanceTo("2024-03-20T00:00:00Z");
    await acme.send("seats", { timestamp: "2024-03-15T00:00:00Z", user: "a" });
    expect(await statusesOf(acme)).toEqual(["after_end"]);
    await begin(acme);
    expect(await statusesOf(acme)).toEqual(["open"]);
    await acme.advanceTo(APRIL);
    expect(await statusesOf(acme)).toEqual(["billed"]);
  });

  test("of a replaced plan is billed by the new plan with the same metric", async () => {
    const acme = await subscribe(recurring);
    const more = `more ${acme.mark}`;
    const charges = [
      { billable_metric_id: await metricId(acme, "seats"), charge_model: "standard", properties: { amount: "2" } },
    ];
    const terms = { interval: "monthly", amount_cents: 100, amount_currency: "EUR", pay_in_advance: false };
    await call("POST", "/plans", { plan: { name: more, code: more, ...terms, charges } });
    await acme.send("seats", { timestamp: MARCH, user: "a" });
    await acme.advanceTo(IN_MARCH);
    await begin(acme, { plan_code: more });
    await acme.advanceTo("2024-03-11T00:00:00Z");
    expect(await statusesOf(acme)).toEqual(["open"]);
    await acme.advanceTo(APRIL);
    expect(await statusesOf(acme)).toEqual(["billed"]);
    const [fee] = (await feesOf(acme)).filter(({ item }) => item.type === "charge");
    expect(await listOf(acme)).toMatchObject([{ svc_fee_ids: [fee?.svc_id] }]);
  });
});

describe("an event is not billed because", () => {
  test("late: its period was invoiced before it arrived", async () => {
    const acme = await subscribe();
    await acme.advanceTo(APRIL);
    await acme.send("calls", { timestamp: IN_MARCH }, { timestamp: APRIL });
    expect(await listOf(acme)).toMatchObject([
      { status: "not_billed", reason: "late", svc_fee_ids: [] },
      { status: "open", reason: null, svc_fee_ids: [] },
    ]);
  });

  test("before_start and after_end: no subscription was active; it ends at the exact instant", async () => {
    const acme = await subscribe({ subscription: { subscription_at: "2024-03-05T00:00:00Z" } });
    await acme.send("calls", { timestamp: MARCH }, { timestamp: IN_MARCH });
    expect(await statusesOf(acme)).toEqual(["before_start", "open"]);
    await acme.advanceTo("2024-03-20T00:00:00Z");
    await end(acme);
    await acme.send("calls", { timestamp: "2024-03-19T23:59:59Z" }, { timestamp: "2024-03-20T00:00:00Z" });
    expect(await statusesOf(acme)).toEqual(["before_start", "billed", "late", "after_end"]);
    await acme.advanceTo("2024-03-25T00:00:00Z");
    await begin(acme);
    expect(await statusesOf(acme)).toEqual(["before_start", "billed", "late", "after_end"]);
  });

  test("before_billing_began: periods before the creation of a subscription are never billed", async () => {
    const acme = await subscribe({ now: IN_MARCH, subscription: { subscription_at: "2024-01-20T00:00:00Z" } });
    await acme.send("calls", { timestamp: "2024-02-10T00:00:00Z" }, { timestamp: MARCH });
    expect(await statusesOf(acme)).toEqual(["before_billing_began", "open"]);
    await acme.advanceTo(APRIL);
    expect(await statusesOf(acme)).toEqual(["before_billing_began", "billed"]);
  });

  test("no_charge and charge_removed: by the plan version that billed its window", async () => {
    const acme = await subscribe({ metrics: { calls: COUNT, others: COUNT } });
    await acme.send("calls", { timestamp: IN_MARCH });
    await acme.send("others", { timestamp: IN_MARCH });
    expect(await statusesOf(acme)).toEqual(["open", "no_charge"]);
    await changeCharges(acme, []);
    expect(await statusesOf(acme)).toEqual(["charge_removed", "no_charge"]);
    await acme.advanceTo(APRIL);
    expect(await statusesOf(acme)).toEqual(["charge_removed", "no_charge"]);
    const charges = await Promise.all(
      ["calls", "others"].map(async (name) => ({
        billable_metric_id: await metricId(acme, name),
        charge_model: "standard",
        ...PRICE,
      })),
    );
    await changeCharges(acme, charges);
    await acme.send("others", { timestamp: APRIL });
    expect(await statusesOf(acme)).toEqual(["charge_removed", "no_charge", "open"]);
  });

  test("unknown_code and no_subscription: until these exist", async () => {
    const acme = await subscribe();
    await acme.send("others", { timestamp: IN_MARCH });
    const event = { transaction_id: `lost ${acme.mark}`, external_subscription_id: `lost ${acme.mark}` };
    await call("POST", "/events", { event: { ...event, code: acme.metricCode("calls"), timestamp: 1710028800 } });
    expect(await statusesOf(acme)).toEqual(["unknown_code"]);
    expect(await statusesOf(acme, `lost ${acme.mark}`)).toEqual(["no_subscription"]);
    await call("POST", "/billable_metrics", {
      billable_metric: { name: "others", code: acme.metricCode("others"), ...COUNT },
    });
    await begin(acme, { external_id: `lost ${acme.mark}` });
    expect(await statusesOf(acme)).toEqual(["no_charge"]);
    expect(await statusesOf(acme, `lost ${acme.mark}`)).toEqual(["open"]);
  });

  test("invalid_property: it has no countable value, before its invoice and after it", async () => {
    const acme = await subscribe({ metrics: { bytes: SUM }, charges: [{ metric: "bytes", ...PRICE }] });
    const at = { timestamp: IN_MARCH };
    await acme.send("bytes", { ...at, v: "12.5" }, { ...at, v: "many" }, at, { ...at, v: [1] });
    const invalid = ["invalid_property", "invalid_property", "invalid_property"];
    expect(await statusesOf(acme)).toEqual(["open", ...invalid]);
    await acme.advanceTo(APRIL);
    expect(await statusesOf(acme)).toEqual(["billed", ...invalid]);
  });

  test("invoice_voided: its period is not billed again automatically", async () => {
    const acme = await subscribe();
    await acme.send("calls", { timestamp: IN_MARCH });
    await acme.advanceTo(APRIL);
    const [invoice] = await invoicesOf(acme);
    expect((await call("POST", `/invoices/${invoice?.svc_id}/void`)).status).toBe(200);
    await acme.send("calls", { timestamp: IN_MARCH });
    expect(await statusesOf(acme)).toEqual(["invoice_voided", "late"]);
  });
});

test("the same ids in another organization have statuses of their own", async () => {
  const acme = await subscribe();
  await acme.send("calls", { timestamp: IN_MARCH });
  await acme.advanceTo(APRIL);
  const [{ transaction_id } = { transaction_id: "" }] = await listOf(acme);
  const event = { transaction_id, external_subscription_id: acme.subscription, code: acme.metricCode("calls") };
  const asTheirs = { key: theirs.key };
  await call("POST", "/events", { event: { ...event, timestamp: 1710028800 } }, asTheirs);
  const shown = await call("GET", `/events/${encodeURIComponent(transaction_id)}`, undefined, asTheirs);
  expect(shown.body.event).toMatchObject({ status: "not_billed", reason: "unknown_code", svc_fee_ids: [] });
});

describe("a page", () => {
  const counted = composeCountedApi(platform);
  afterAll(async () => (await counted).app.close());

  test("takes the same number of queries for any number of events, subscriptions and statuses", async () => {
    const input = {
      metrics: { calls: COUNT, bytes: SUM, seats: SEATS, others: COUNT },
      charges: [
        { metric: "calls", ...PRICE, pay_in_advance: true },
        { metric: "bytes", properties: { amount: "1", grouped_by: ["team"] } },
        { metric: "seats", ...PRICE },
      ],
    };
    const queriesOf = async (mark: string, size: number) => {
      const { get } = await counted;
      const { body, queries } = await get(`/events?per_page=${size}${mark}`, mine.key);
      return { queries, shown: (body.events as object[]).length };
    };
    const acme = await subscribe(input);
    const fill = async (one: SubscribedCustomer, events: number) => {
      const list = Array.from({ length: events }, (_, index) => ({ timestamp: IN_MARCH, v: index, team: `t${index}` }));
      for (const name of ["calls", "bytes", "others"]) await one.send(name, ...list);
      await one.send("seats", ...list.map(({ team, ...rest }) => ({ ...rest, user: team })));
      await one.advanceTo(APRIL);
      await one.send("bytes", ...list);
      await one.send("unheard of", ...list.map(({ timestamp }) => ({ timestamp })));
    };
    await fill(acme, 1);
    const few = await queriesOf(`&external_subscription_id=${encodeURIComponent(acme.subscription)}`, 100);
    for (let number = 0; number < 5; number++) await fill(await subscribe(input), 6);
    const many = await queriesOf("", 100);
    expect(few.shown).toBe(6);
    expect(many.shown).toBe(100);
    expect(many.queries).toBeLessThanOrEqual(few.queries);
    expect(few.queries).toBeLessThanOrEqual(18);
  });
});

test("afterwards every invariant holds: windows counted their events, and no event is in two windows", async () => {
  const findings = await verify(platform.config.DATABASE_URL);
  expect(findings.filter(({ broken }) => broken > 0)).toEqual([]);
});
