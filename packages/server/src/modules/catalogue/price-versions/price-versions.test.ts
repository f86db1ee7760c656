import { beforeEach, expect, test } from "vitest";
import { type Answer, startTallystick } from "../../../testing/start-tallystick.ts";
import { verify } from "../../../verify/index.ts";

// Late bills on the real clock, and customers on several clocks at once: each gets the prices of its own clock.

let now = Temporal.Instant.from("2024-01-01T00:00:00Z");
const { call, drain, platform, organizations } = await startTallystick({ clock: { now: () => now } });

const must = async (...request: Parameters<typeof call>): Promise<Answer["body"]> => {
  const { status, body, text } = await call(...request);
  expect(status, `${request[1]} ${text}`).toBe(200);
  return body;
};

const on = (text: string) => {
  now = Temporal.Instant.from(text);
};

let mark = 0;
beforeEach(() => {
  mark++;
  // Each test is later than the one before: real time does not go back.
  on(`20${20 + mark}-01-01T00:00:00Z`);
});
const year = () => `20${20 + mark}`;
const at = (rest: string) => `${year()}-${rest}`;

async function makePlan(terms: object = {}): Promise<string> {
  const metric = { name: "Calls", code: `calls ${mark}`, aggregation_type: "sum_agg", field_name: "n" };
  const { billable_metric } = await must("POST", "/billable_metrics", { billable_metric: metric });
  const charge = { billable_metric_id: billable_metric.svc_id, charge_model: "standard" };
  const plan = {
    name: "Plan",
    code: `plan${mark}`,
    interval: "monthly",
    amount_cents: 1000,
    amount_currency: "EUR",
    pay_in_advance: false,
    charges: [{ ...charge, properties: { amount: "1" } }],
    ...terms,
  };
  const made = (await must("POST", "/plans", { plan })).plan;
  return made.charges[0].svc_id;
}

const edit = (plan: object) => must("PUT", `/plans/plan${mark}`, { plan });

async function subscribe(name: string, customer: object = {}): Promise<void> {
  await must("POST", "/customers", { customer: { external_id: `${name}${mark}`, ...customer } });
  await must("POST", "/subscriptions", {
    subscription: {
      external_customer_id: `${name}${mark}`,
      external_id: `${name}${mark}`,
      plan_code: `plan${mark}`,
    },
  });
}

async function use(name: string, n: number, day: string): Promise<void> {
  const timestamp = Temporal.Instant.from(day).epochMilliseconds / 1000;
  const event = { transaction_id: `${name} ${day} ${n}`, external_subscription_id: `${name}${mark}` };
  await must("POST", "/events", { event: { ...event, code: `calls ${mark}`, timestamp, properties: { n } } });
}

type Shown = { svc_id: string; fees_amount_cents: number; issuing_date: string };

/** Amounts of fees, oldest invoice first. */
async function amountsOf(name: string): Promise<number[]> {
  const { invoices } = await must("GET", `/invoices?external_customer_id=${name}${mark}`);
  return (invoices as Shown[]).map(({ fees_amount_cents }) => fees_amount_cents).toReversed();
}

async function demandPromises(): Promise<void> {
  const findings = await verify(platform.config.DATABASE_URL, { organizationId: organizations[0]?.id ?? "", now });
  expect(findings.filter(({ name, broken }) => name === "prices-are-in-force" && broken > 0)).toEqual([]);
}

test("after downtime each period has the prices that were in force when it ended", async () => {
  await makePlan();
  await subscribe("late");
  on(at("02-10T00:00:00Z"));
  await edit({ amount_cents: 2000 });
  on(at("03-10T00:00:00Z"));
  await edit({ amount_cents: 3000 });
  on(at("04-10T00:00:00Z"));
  await drain();
  expect(await amountsOf("late")).toEqual([1000, 2000, 3000]);
  await demandPromises();
});

test("in advance, after downtime, each period has the prices that were in force when it began", async () => {
  const charge = await makePlan({ pay_in_advance: true });
  await subscribe("early");
  await use("early", 7, at("01-20T00:00:00Z"));
  await drain();
  on(at("02-10T00:00:00Z"));
  await edit({ amount_cents: 2000, charges: [{ id: charge, properties: { amount: "2" } }] });
  await use("early", 5, at("02-20T00:00:00Z"));
  on(at("03-10T00:00:00Z"));
  await edit({ amount_cents: 3000, charges: [{ id: charge, properties: { amount: "3" } }] });
  on(at("03-20T00:00:00Z"));
  await drain();
  // On 1 February 10.00 and 7 at 1.00, on 1 March 20.00 and 5 at 2.00
  expect(await amountsOf("early")).toEqual([1000, 1700, 3000]);
  await demandPromises();
});

test("between the end of a period and its invoice, which waits for late usage, nothing is repriced", async () => {
  await makePlan();
  await subscribe("settling");
  on(at("02-01T00:05:00Z"));
  await edit({ amount_cents: 2000 });
  on(at("02-01T00:10:00Z"));
  await drain();
  expect(await amountsOf("settling")).toEqual([1000]);
});

test("applied to drafts, an edit also reprices invoices that are about to be created", async () => {
  await makePlan();
  await subscribe("applied");
  on(at("02-01T00:05:00Z"));
  await drain();
  expect(await amountsOf("applied")).toEqual([]);
  await edit({ amount_cents: 2000, apply_to_drafts: true });
  await edit({ amount_cents: 3000 });
  on(at("02-01T00:10:00Z"));
  await drain();
  expect(await amountsOf("applied")).toEqual([2000]);
  await demandPromises();
});

test("an edit at the instant of a boundary applies to the period that begins there, and not to the one that ended", async () => {
  const charge = await makePlan({ pay_in_advance: true });
  await subscribe("exact");
  await use("exact", 7, at("01-20T00:00:00Z"));
  on(at("01-31T12:00:00Z"));
  await drain();
  on(at("02-01T00:00:00Z"));
  await edit({ amount_cents: 2000, name: "New", charges: [{ id: charge, properties: { amount: "2" } }] });
  on(at("02-01T01:00:00Z"));
  await drain();
  // 20.00 in advance for February, 7 at 1.00 for January
  expect(await amountsOf("exact")).toEqual([1000, 2700]);
  const { invoices } = await must("GET", `/invoices?external_customer_id=exact${mark}`);
  const { invoice } = await must("GET", `/invoices/${invoices[0].svc_id}`);
  const lines = (invoice.fees as { item: { type: string; name: string }; amount_cents: number }[]).map(
    ({ item, amount_cents }) => [item.type, item.name, amount_cents],
  );
  expect(lines).toEqual([
    ["charge", "Calls", 700],
    ["subscription", "New", 2000],
  ]);
  const { verification } = await must("GET", `/invoices/${invoices[0].svc_id}/verification`);
  expect(verification).toMatchObject({ status: "same" });
  await demandPromises();
});

test("an amount that is changed while the ended period is not billed yet applies to the next period", async () => {
  await makePlan();
  await subscribe("agreed");
  on(at("02-03T00:00:00Z"));
  await must("PUT", `/subscriptions/agreed${mark}`, { subscription: { plan_overrides: { amount_cents: 500 } } });
  on(at("03-03T00:00:00Z"));
  await must("PUT", `/subscriptions/agreed${mark}`, { subscription: { plan_overrides: { amount_cents: 100 } } });
  on(at("04-03T00:00:00Z"));
  await drain();
  expect(await amountsOf("agreed")).toEqual([1000, 500, 100]);
  await demandPromises();
});

test("customers on different clocks: an edit is in force for each from the current time of its clock", async () => {
  await makePlan();
  const clocks: Record<string, string> = {};
  for (const name of ["fast", "slow"]) {
    const { test_clock } = await must("POST", "/test_clocks", { test_clock: { name, now: at("01-01T00:00:00Z") } });
    clocks[name] = test_clock.svc_id;
    await subscribe(name, { test_clock_id: test_clock.svc_id, billing_configuration: { invoice_grace_period: 50 } });
  }
  await subscribe("real");
  const advance = (name: string, to: string) =>
    must("POST", `/test_clocks/${clocks[name]}/advance`, { test_clock: { now: at(to) } });
  await advance("fast", "03-05T00:00:00Z");
  await advance("slow", "01-20T00:00:00Z");
  on(at("02-03T00:00:00Z"));
  await edit({ amount_cents: 2000 });
  await advance("fast", "04-05T00:00:00Z");
  await advance("slow", "04-05T00:00:00Z");
  on(at("03-05T00:00:00Z"));
  await drain();
  expect(await amountsOf("fast")).toEqual([1000, 1000, 2000]);
  expect(await amountsOf("slow")).toEqual([2000, 2000, 2000]);
  expect(await amountsOf("real")).toEqual([1000, 2000]);
  await demandPromises();
});

test("an event in advance has the price of its acceptance, even if it is billed later", async () => {
  const charge = await makePlan();
  await edit({ charges: [{ id: charge, pay_in_advance: true, properties: { amount: "1" } }] });
  await subscribe("events");
  on(at("01-05T00:00:00Z"));
  await use("events", 5, at("01-05T00:00:00Z"));
  on(at("01-06T00:00:00Z"));
  await edit({ charges: [{ id: charge, properties: { amount: "2" } }] });
  await use("events", 6, at("01-06T00:00:00Z"));
  on(at("01-07T00:00:00Z"));
  await must("PUT", `/subscriptions/events${mark}`, {
    subscription: { plan_overrides: { charges: [{ id: charge, properties: { amount: "9" } }] } },
  });
  await drain();
  expect((await amountsOf("events")).toSorted((one, other) => one - other)).toEqual([500, 1200]);
});

test("the preview has the prices of the invoice", async () => {
  await makePlan();
  await subscribe("shown");
  await use("shown", 7, at("01-20T00:00:00Z"));
  const preview = async () =>
    (await must("POST", "/invoices/preview", { invoice: { external_subscription_id: `shown${mark}` } })).invoice;
  expect(await preview()).toMatchObject({ fees_amount_cents: 1700 });
  on(at("01-25T00:00:00Z"));
  await edit({ amount_cents: 2000 });
  expect(await preview()).toMatchObject({ fees_amount_cents: 2700 });
});
