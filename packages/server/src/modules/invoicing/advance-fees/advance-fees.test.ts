import { afterEach, describe, expect, it, test } from "vitest";
import { runOn } from "../../../platform/postgres/temporary-database.ts";
import { type Answer, type Call, startTallystick } from "../../../testing/start-tallystick.ts";
import {
  type ChargeRequest,
  type SubscribedCustomer,
  type SubscriptionRequest,
  subscribeCustomer,
} from "../../../testing/subscribed-customer.ts";
import { verify } from "../../../verify/index.ts";

const outbox: { type: string; object: Record<string, unknown> }[] = [];
/** The real clock. */
let now = Temporal.Instant.from("2024-01-01T00:00:00Z");
const { platform, call, drain, organizations } = await startTallystick({
  clock: { now: () => now },
  subscribers: [
    async (_tx, { webhookType, payload }) => {
      const { object_type, ...message } = JSON.parse(payload);
      outbox.push({ type: webhookType, object: message[object_type] });
    },
  ],
});
const [mine = { id: "", key: "" }, theirs = { id: "", key: "" }] = organizations;
const asOwner = (statement: string) => runOn(platform.config.DATABASE_URL, statement);

const CALLS = { calls: { aggregation_type: "count_agg" } };
const charge = (more: Partial<ChargeRequest> = {}): ChargeRequest => ({
  metric: "calls",
  pay_in_advance: true,
  properties: { amount: "10" },
  ...more,
});
const request = (more: Partial<SubscriptionRequest> = {}): SubscriptionRequest => ({
  now: "2024-01-01T00:00:00Z",
  metrics: CALLS,
  charges: [charge({ invoiceable: false })],
  ...more,
});

const must = async (answer: Promise<Answer>): Promise<Answer["body"]> => {
  const { status, body, text } = await answer;
  expect(status, text).toBe(200);
  return body;
};
const callAs =
  (key: string): Call =>
  (method, path, body) =>
    call(method, path, body, { key });
const feesOf = async ({ subscription }: { subscription: string }, as: Call = call) =>
  (
    await must(
      as("GET", `/fees?external_subscription_id=${encodeURIComponent(subscription)}&fee_type=charge&per_page=100`),
    )
  ).fees;
const invoicesOf = async ({ customer }: { customer: string }) => {
  const { invoices } = await must(call("GET", `/invoices?external_customer_id=${encodeURIComponent(customer)}`));
  const shown: Answer["body"][] = [];
  for (const { svc_id } of invoices.toReversed()) shown.push((await must(call("GET", `/invoices/${svc_id}`))).invoice);
  return shown;
};
/** Transaction ids are numbered. */
const numbers = (fees: { event_transaction_id: string }[]) =>
  fees.map(({ event_transaction_id: id }) => Number(id.split(" ").at(-1)));

test("an invoiced event gets its own invoice, finalized at once, issued on its local day, published once", async () => {
  const acme = await subscribeCustomer(call, {
    ...request({
      now: "2024-01-01T12:00:00Z",
      charges: [charge()],
      customer: { timezone: "America/New_York", net_payment_term: 3 },
    }),
    plan: { amount_cents: 3100 },
  });
  await must(call("POST", "/taxes", { tax: { name: "VAT", code: "vat", rate: "20" } }));
  await must(call("POST", "/customers", { customer: { external_id: acme.customer, tax_codes: ["vat"] } }));
  await acme.advanceTo("2024-01-05T12:00:00Z");
  await acme.send("calls", { timestamp: "2024-01-05T03:00:00Z" });
  await drain();
  const [fee, ...others] = await feesOf(acme);
  expect(others).toEqual([]);
  expect(fee).toMatchObject({
    amount_cents: 1000,
    taxes_amount_cents: 200,
    units: "1.0",
    events_count: 1,
    pay_in_advance: true,
    invoiceable: true,
    event_transaction_id: `${acme.mark} 1`,
    from_date: "2024-01-01T12:00:00Z",
    to_date: "2024-02-01T04:59:59Z",
    created_at: "2024-01-05T12:00:00Z",
    item: { type: "charge", code: acme.metricCode("calls"), item_type: "BillableMetric" },
    applied_taxes: [{ tax_code: "vat", amount_cents: 200 }],
  });
  const [invoice, ...more] = await invoicesOf(acme);
  expect(more).toEqual([]);
  expect(invoice).toMatchObject({
    svc_id: fee.svc_invoice_id,
    invoice_type: "subscription",
    status: "finalized",
    number: expect.stringMatching(/-001$/),
    issuing_date: "2024-01-04",
    payment_due_date: "2024-01-07",
    payment_status: "pending",
    fees_amount_cents: 1000,
    taxes_amount_cents: 200,
    total_amount_cents: 1200,
    subscriptions: [{ external_id: acme.subscription }],
    fees: [{ svc_id: fee.svc_id, amount_cents: 1000 }],
    applied_taxes: [{ tax_code: "vat", fees_amount_cents: 1000 }],
  });
  const published = outbox.filter(({ object }) => [invoice.svc_id, fee.svc_id].includes(String(object.svc_id)));
  expect(published.map(({ type }) => type).toSorted()).toEqual(["fee.created", "invoice.created"]);
  expect(published.find(({ type }) => type === "fee.created")?.object).not.toHaveProperty("applied_taxes");
  // Usage billed in advance is not billed again, and a grace period does not delay it.
  await acme.advanceTo("2024-02-01T05:00:00Z");
  const [, periodic] = await invoicesOf(acme);
  expect(periodic).toMatchObject({ fees: [{ item: { type: "subscription" } }], fees_amount_cents: 3100 });
});

test("charges that are not invoiced: a standalone fee, paid separately; two charges on a metric: two fees, one invoice", async () => {
  const acme = await subscribeCustomer(
    call,
    request({
      charges: [
        charge({ invoiceable: false }),
        charge({ properties: { amount: "2" } }),
        charge({ properties: { amount: "0" } }),
      ],
    }),
  );
  await acme.send("calls", {});
  await drain();
  const fees = await feesOf(acme);
  expect(
    fees.map((fee: Record<string, unknown>) => [fee.amount_cents, fee.svc_invoice_id === null]).toSorted(),
  ).toEqual([
    [0, false],
    [1000, true],
    [200, false],
  ]);
  const [invoice, ...others] = await invoicesOf(acme);
  expect(others).toEqual([]);
  expect(invoice).toMatchObject({ status: "finalized", total_amount_cents: 200, fees: [{}, {}] });
  const alone = fees.find(({ svc_invoice_id }: { svc_invoice_id: null }) => svc_invoice_id === null);
  const paid = await must(call("PUT", `/fees/${alone.svc_id}`, { fee: { payment_status: "succeeded" } }));
  expect(paid.fee).toMatchObject({ payment_status: "succeeded", succeeded_at: "2024-01-01T00:00:00Z" });
});

describe("which events make a fee", () => {
  it("those of a subscription at their time, in the period of their time, whenever they arrive", async () => {
    const acme = await subscribeCustomer(
      call,
      request({
        charges: [
          charge({
            invoiceable: false,
            charge_model: "package",
            properties: { amount: "1", free_units: 0, package_size: 2 },
          }),
        ],
        plan: { trial_period: 20 },
      }),
    );
    await acme.advanceTo("2024-01-10T00:00:00Z");
    await acme.send("calls", { timestamp: "2023-12-31T23:59:59Z" }, { timestamp: "2024-01-05T00:00:00Z" });
    await acme.advanceTo("2024-02-10T00:00:00Z");
    await acme.send("calls", {}, { timestamp: "2024-01-06T00:00:00Z" }, { timestamp: "2024-01-07T00:00:00Z" });
    await must(call("DELETE", `/subscriptions/${encodeURIComponent(acme.subscription)}`));
    await acme.advanceTo("2024-02-12T00:00:00Z");
    await acme.send(
      "calls",
      { timestamp: "2024-02-09T23:59:59Z" },
      { timestamp: "2024-02-10T00:00:00Z" },
      { timestamp: "2024-02-11T00:00:00Z" },
    );
    await drain();
    const fees = await feesOf(acme);
    type Fee = { from_date: string; amount_cents: number };
    expect(fees.map(({ from_date, amount_cents }: Fee) => `${from_date.slice(0, 7)}: ${amount_cents}`)).toEqual([
      "2024-01: 100",
      "2024-02: 100",
      "2024-01: 0",
      "2024-01: 100",
      "2024-02: 0",
    ]);
    expect(numbers(fees)).toEqual([2, 3, 4, 5, 6]);
  });

  it("not those without a countable value, of another metric, or before the charge existed", async () => {
    const acme = await subscribeCustomer(
      call,
      request({
        metrics: { ...CALLS, bytes: { aggregation_type: "sum_agg", field_name: "v" } },
        charges: [charge({ metric: "bytes", invoiceable: false }), { metric: "calls", properties: { amount: "1" } }],
      }),
    );
    await acme.send("bytes", { v: "junk" }, {}, { v: "1" });
    await acme.send("calls", {});
    await drain();
    expect(numbers(await feesOf(acme))).toEqual([3]);
    const plan = `/plans/plan%20${acme.mark}`;
    const { charges } = (await must(call("GET", plan))).plan;
    const known = charges.map((one: Record<string, unknown>) => ({
      id: one.svc_id,
      billable_metric_id: one.svc_billable_metric_id,
      charge_model: "standard",
    }));
    const calls = charges.find(({ pay_in_advance }: { pay_in_advance: boolean }) => !pay_in_advance);
    const added = {
      billable_metric_id: calls.svc_billable_metric_id,
      charge_model: "package",
      pay_in_advance: true,
      invoiceable: false,
      properties: { amount: "7", free_units: 1, package_size: 1 },
    };
    await must(call("PUT", plan, { plan: { charges: [...known, added] } }));
    await drain();
    expect(numbers(await feesOf(acme))).toEqual([3]);
    await acme.send("calls", {});
    await drain();
    // Earlier events of the period count: the free unit is used up.
    expect((await feesOf(acme)).at(-1)).toMatchObject({ event_transaction_id: `${acme.mark} 5`, amount_cents: 700 });
  });

  it("before and after a plan change, each plan bills its own events", async () => {
    const acme = await subscribeCustomer(call, request());
    const [{ svc_billable_metric_id }] = (await must(call("GET", `/plans/plan%20${acme.mark}`))).plan.charges;
    await must(
      call("POST", "/plans", {
        plan: {
          name: "Dear",
          code: `dear ${acme.mark}`,
          interval: "monthly",
          amount_cents: 100,
          amount_currency: "EUR",
          pay_in_advance: false,
          charges: [
            {
              billable_metric_id: svc_billable_metric_id,
              charge_model: "standard",
              pay_in_advance: true,
              invoiceable: false,
              properties: { amount: "11" },
            },
          ],
        },
      }),
    );
    await acme.advanceTo("2024-01-15T00:00:00Z");
    await must(
      call("POST", "/subscriptions", {
        subscription: {
          external_customer_id: acme.customer,
          plan_code: `dear ${acme.mark}`,
          external_id: acme.subscription,
        },
      }),
    );
    await acme.send("calls", { timestamp: "2024-01-14T23:59:59Z" }, { timestamp: "2024-01-15T00:00:00Z" });
    await drain();
    expect((await feesOf(acme)).map(({ amount_cents }: { amount_cents: number }) => amount_cents)).toEqual([
      1000, 1100,
    ]);
  });

  it("organizations with the same ids bill only their own events", async () => {
    const acme = await subscribeCustomer(call, request());
    const other = callAs(theirs.key);
    const metric = await must(
      other("POST", "/billable_metrics", {
        billable_metric: { name: "calls", code: acme.metricCode("calls"), aggregation_type: "count_agg" },
      }),
    );
    const plan = {
      name: "Plan",
      code: `plan ${acme.mark}`,
      interval: "monthly",
      amount_cents: 0,
      amount_currency: "EUR",
    };
    const price = { charge_model: "standard", pay_in_advance: true, invoiceable: false, properties: { amount: "3" } };
    const charges = [{ billable_metric_id: metric.billable_metric.svc_id, ...price }];
    await must(other("POST", "/plans", { plan: { ...plan, pay_in_advance: false, charges } }));
    await must(other("POST", "/customers", { customer: { external_id: acme.customer } }));
    const external = { external_customer_id: acme.customer, external_id: acme.subscription };
    await must(other("POST", "/subscriptions", { subscription: { ...external, plan_code: plan.code } }));
    const event = { external_subscription_id: acme.subscription, code: acme.metricCode("calls"), properties: {} };
    await acme.send("calls", {});
    await must(other("POST", "/events", { event: { transaction_id: `${acme.mark} 1`, ...event } }));
    await must(other("POST", "/events", { event: { transaction_id: `${acme.mark} 2`, ...event } }));
    await drain();
    expect(await feesOf(acme)).toMatchObject([{ amount_cents: 1000 }]);
    expect(await feesOf(acme, other)).toMatchObject([{ amount_cents: 300 }, { amount_cents: 300 }]);
  });
});

test("on the real clock, due work of the subscription runs first, so an event does not depend on busy workers", async () => {
  now = Temporal.Instant.from("2024-01-01T00:00:00Z");
  const acme = await subscribeCustomer(call, request());
  const customer = `real ${acme.mark}`;
  await must(call("POST", "/customers", { customer: { external_id: customer } }));
  const subscription = { external_customer_id: customer, plan_code: `plan ${acme.mark}`, external_id: customer };
  const subscription_at = "2024-01-02T00:00:00Z";
  await must(call("POST", "/subscriptions", { subscription: { ...subscription, subscription_at } }));
  const code = acme.metricCode("calls");
  const send = (transaction_id: string) =>
    must(call("POST", "/events", { event: { transaction_id, external_subscription_id: customer, code } }));
  await send(`${customer} 1`);
  while (await platform.consumers.advance_fees());
  now = Temporal.Instant.from("2024-01-02T00:00:01Z");
  await send(`${customer} 2`);
  while (await platform.consumers.advance_fees());
  expect(numbers(await feesOf({ subscription: customer }))).toEqual([2]);
});

describe("each event once, in order, with any number of workers", () => {
  const many = (acme: SubscribedCustomer, count: number) =>
    Promise.all(Array.from({ length: count }, () => acme.send("calls", {}, {}, {})));

  it("concurrent workers create one fee per event, and together the price of all events", {
    timeout: 60_000,
  }, async () => {
    const acme = await subscribeCustomer(
      call,
      request({
        charges: [
          charge({
            invoiceable: false,
            charge_model: "package",
            properties: { amount: "1", free_units: 0, package_size: 7 },
          }),
          charge({ properties: { amount: "1" } }),
        ],
      }),
    );
    const others = await Promise.all([subscribeCustomer(call, request()), subscribeCustomer(call, request())]);
    await Promise.all([many(acme, 7), ...others.map((other) => many(other, 2)), drain(), drain(), drain()]);
    await Promise.all([drain(), drain()]);
    // The workers did not collide: the unique index rejected nothing.
    expect(await failures()).toBe(0);
    const fees = await feesOf(acme);
    expect(new Set(numbers(fees)).size).toBe(21);
    expect(fees).toHaveLength(42);
    const cents = fees.map(({ amount_cents }: { amount_cents: number }) => amount_cents);
    expect(cents.reduce((sum: number, cent: number) => sum + cent, 0)).toBe(300 + 2100);
    for (const other of others) expect(await feesOf(other)).toHaveLength(6);
    const listed = await must(
      call("GET", `/invoices?external_customer_id=${encodeURIComponent(acme.customer)}&per_page=100`),
    );
    expect(
      listed.invoices.map(({ sequential_id }: { sequential_id: number }) => sequential_id).toSorted(ascending),
    ).toEqual(Array.from({ length: 21 }, (_, index) => index + 1));
  });

  it("a repeated event creates no second fee", async () => {
    const acme = await subscribeCustomer(call, request());
    const event = {
      transaction_id: `${acme.mark} 1`,
      external_subscription_id: acme.subscription,
      code: acme.metricCode("calls"),
      timestamp: 1704067200,
    };
    await must(call("POST", "/events", { event }));
    await drain();
    await must(call("POST", "/events", { event }));
    await must(call("POST", "/events/batch", { events: [event] }));
    await drain();
    expect(await feesOf(acme)).toHaveLength(1);
  });

  it("in order of acceptance, whatever their timestamps", async () => {
    const properties = { amount: "1", free_units: 2, package_size: 1 };
    const packages = charge({ invoiceable: false, charge_model: "package", properties });
    const acme = await subscribeCustomer(call, request({ charges: [packages] }));
    await acme.advanceTo("2024-01-20T00:00:00Z");
    const days = ["2024-01-09", "2024-01-03", "2024-01-07"].map((day) => ({ timestamp: `${day}T00:00:00Z` }));
    await acme.send("calls", ...days);
    await acme.send("calls", { timestamp: "2024-01-01T00:00:00Z" });
    await drain();
    const fees = await feesOf(acme);
    expect(fees.map(({ amount_cents }: { amount_cents: number }) => amount_cents)).toEqual([0, 0, 100, 100]);
    expect(numbers(fees)).toEqual([1, 2, 3, 4]);
  });

  describe("a step that fails", () => {
    afterEach(() => asOwner("drop trigger if exists fails on outbox; drop function if exists fail()"));

    const failAt = (transactionId: string, fault: string) =>
      asOwner(`
        create function fail() returns trigger language plpgsql security definer as $$
          begin ${fault}; return null; end $$;
        create trigger fails before insert on outbox for each row
          when (new.webhook_type = 'fee.created' and new.payload::text like '%"${transactionId}"%') execute function fail()`);

    it("because of a fault parks that one event, and all others are billed", async () => {
      const acme = await subscribeCustomer(call, request({ charges: [charge(), charge({ invoiceable: false })] }));
      await failAt(`${acme.mark} 3`, "raise exception 'no'");
      await acme.send("calls", {}, {}, {}, {});
      await acme.advanceTo("2024-01-01T00:00:01Z");
      expect(numbers(await feesOf(acme)).toSorted()).toEqual([1, 1, 2, 2, 4, 4]);
      const [parked] = (await call("GET", "/parked_items")).body.parked_items;
      expect(parked).toMatchObject({
        kind: "event",
        object: { external_id: `${acme.mark} 3` },
        attempts: 3,
        reason: "no",
      });
      await asOwner("drop trigger fails on outbox");
      await call("POST", `/parked_items/${parked.svc_id}/retry`, { reason: "the mistake is gone" });
      expect(numbers(await feesOf(acme)).toSorted()).toEqual([1, 1, 2, 2, 3, 3, 4, 4]);
    });

    it("because its worker was killed leaves nothing behind, and the work is done once afterwards", async () => {
      const acme = await subscribeCustomer(call, request({ charges: [charge(), charge({ invoiceable: false })] }));
      await failAt(`${acme.mark} 3`, "perform pg_terminate_backend(pg_backend_pid())");
      const error = /terminat/i;
      await acme.send("calls", {}, {}, {}, {});
      await drain();
      expect(await feesOf(acme)).toEqual([]);
      expect(await invoicesOf(acme)).toEqual([]);
      const [cursor] = await asOwner(
        `select attempts, last_error from advance_cursors where organization_id = '${mine.id}'`,
      );
      expect(cursor).toEqual({ attempts: 1, last_error: expect.stringMatching(error) });
      await asOwner("drop trigger fails on outbox");
      await acme.advanceTo("2024-01-01T00:00:01Z");
      expect(numbers(await feesOf(acme)).toSorted()).toEqual([1, 1, 2, 2, 3, 3, 4, 4]);
      const numbered = (await invoicesOf(acme)).map(({ sequential_id }) => sequential_id);
      expect(numbered.toSorted()).toEqual([1, 2, 3, 4]);
      await drain();
      const own = outbox.filter(({ object }) => String(object.event_transaction_id).startsWith(`${acme.mark} `));
      expect(own).toHaveLength(8);
    });

    it("the unique index on event and charge prevents duplicates, even if a cursor moves back", async () => {
      const acme = await subscribeCustomer(call, request());
      await acme.send("calls", {}, {});
      await drain();
      const before = await feesOf(acme);
      expect(before).toHaveLength(2);
      await expect(asOwner(`update advance_cursors set positions = '{}'`)).rejects.toThrow("not looked at again");
      const [cursor] = await asOwner(
        `select positions::text from advance_cursors where organization_id = '${mine.id}'`,
      );
      const move = (positions: unknown) =>
        asOwner(`set session_replication_role = replica;
          update advance_cursors set positions = '${positions}', ready_at = '-infinity' where organization_id = '${mine.id}'`);
      await move("{}");
      await drain();
      await move(cursor?.positions);
      expect(await feesOf(acme)).toEqual(before);
    });
  });
});

test("an advance first bills accepted events, so its invoices include fees in advance", async () => {
  const acme = await subscribeCustomer(
    call,
    request({ plan: { amount_cents: 100, minimum_commitment: { amount_cents: 5000 } } }),
  );
  await acme.send("calls", {}, {});
  await acme.advanceTo("2024-02-01T00:00:00Z");
  const created_at = "2024-01-01T00:00:00Z";
  expect(await feesOf(acme)).toMatchObject([{ created_at }, { created_at }]);
  const [invoice] = await invoicesOf(acme);
  expect(invoice.fees).toMatchObject([
    { item: { type: "subscription" } },
    { item: { type: "commitment" }, amount_cents: 5000 - 100 - 2000 },
  ]);
});

test("an event of long ago is invoiced at once with an old issuing date, and is overdue", async () => {
  const acme = await subscribeCustomer(call, request({ charges: [charge()] }));
  await acme.advanceTo("2024-03-10T00:00:00Z");
  await acme.send("calls", { timestamp: "2024-01-05T00:00:00Z" });
  await drain();
  const late = (await invoicesOf(acme)).find(({ total_amount_cents }) => total_amount_cents > 0);
  expect(late).toMatchObject({ issuing_date: "2024-01-05", payment_overdue: true, created_at: "2024-03-10T00:00:00Z" });
});

/** Failed steps so far. */
async function failures(): Promise<number> {
  const { values } = await platform.metrics.workFailed.get();
  return values.find(({ labels }) => labels.source === "advance_fees")?.value ?? 0;
}

const ascending = (one: number, other: number): number => one - other;

test("afterwards every invariant about fees in advance holds", async () => {
  const findings = await verify(platform.config.DATABASE_URL);
  const broken = findings.filter(({ broken }) => broken > 0).map(({ name }) => name);
  expect(broken.filter((name) => name.includes("advance") || name === "cursors-follow-heads")).toEqual([]);
});

test("a late event of an ended subscription is priced without events of the next subscription with its id", async () => {
  const { subscription, customer, mark, metricCode, advanceTo } = await subscribeCustomer(call, {
    now: "2024-01-01T00:00:00Z",
    metrics: { jobs: { aggregation_type: "sum_agg", field_name: "n" } },
    charges: [{ metric: "jobs", pay_in_advance: true, invoiceable: false, properties: { amount: "2" } }],
  });
  await advanceTo("2024-01-10T00:00:00Z");
  await call("DELETE", `/subscriptions/${encodeURIComponent(subscription)}`);
  await advanceTo("2024-01-15T00:00:00Z");
  const next = { external_customer_id: customer, external_id: subscription, plan_code: `plan ${mark}` };
  expect((await call("POST", "/subscriptions", { subscription: next })).status).toBe(200);
  const sent = async (transaction_id: string, n: number, day: string | number) => {
    const timestamp = Temporal.Instant.from(`2024-01-${day}T12:00:00Z`).epochMilliseconds / 1000;
    const event = { transaction_id, external_subscription_id: subscription, code: metricCode("jobs") };
    await call("POST", "/events", { event: { ...event, timestamp, properties: { n } } });
    await drain();
    const { body } = await call("GET", `/fees?event_transaction_id=${encodeURIComponent(transaction_id)}`);
    return body.fees[0].amount_cents;
  };
  await advanceTo("2024-01-20T00:00:00Z");
  expect(await sent(`${mark} first`, 7, 16)).toBe(1400);
  expect(await sent(`${mark} back`, -10, 17)).toBe(0);
  expect(await sent(`${mark} late`, 2, "05")).toBe(400);
});
