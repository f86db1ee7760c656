import { currency, exactText, inMinorUnits, readExact, sum } from "@tallystick/core/money";
import { expect, test } from "vitest";
import { startTallystick } from "../../../testing/start-tallystick.ts";
import {
  type SubscribedCustomer,
  type SubscriptionRequest,
  subscribeCustomer,
} from "../../../testing/subscribed-customer.ts";

const { call, organizations } = await startTallystick();

type Line = { name: string; exact_amount_cents: string };
type Contribution = { transaction_id: string; units: string; is_counted: boolean; exact_amount_cents: string };

/** Expects 200. */
const get = async (path: string) => {
  const { status, body, text } = await call("GET", path);
  expect(status, `${path} ${text}`).toBe(200);
  return body;
};

const subscribe = (request: Omit<SubscriptionRequest, "now">) =>
  subscribeCustomer(call, { now: "2024-03-01T00:00:00Z", ...request });

/** Bills the usage of March after the period ends. */
async function billed({ advanceTo, subscription }: SubscribedCustomer, until = "2024-04-01T00:00:00Z") {
  await advanceTo(until);
  const { fees } = await get(`/fees?external_subscription_id=${encodeURIComponent(subscription)}`);
  return fees as {
    svc_id: string;
    svc_invoice_id: string;
    amount_cents: number;
    item: { type: string; filters: unknown };
  }[];
}

const explanationOf = async (id: string) => (await get(`/fees/${id}/explanation`)).explanation;

async function pagesOf(id: string, size: number): Promise<{ pages: Contribution[][]; running: string }> {
  const pages: Contribution[][] = [];
  let cursor: string | null = "";
  let running = "0";
  while (cursor !== null) {
    const { events, meta } = await get(
      `/fees/${id}/explanation/events?per_page=${size}${cursor === "" ? "" : `&cursor=${cursor}`}`,
    );
    pages.push(events);
    cursor = meta.next_cursor;
    running = meta.running_exact_amount_cents;
  }
  return { pages, running };
}

const addUp = (amounts: readonly { exact_amount_cents: string }[]): string =>
  exactText(sum(amounts.map(({ exact_amount_cents }) => readExact(exact_amount_cents))));

/** Lines add up to the fee, and contributions add up to their line. Pages of any size list the same events. */
async function checkFee(
  id: string,
): Promise<{ lines: Record<string, string>; contributions: string[]; text: string[] }> {
  const explanation = await explanationOf(id);
  const lines: Line[] = explanation.lines;
  expect(addUp(lines)).toBe(String(explanation.amount_cents));
  const { pages, running } = await pagesOf(id, 2);
  const events = pages.flat();
  expect((await pagesOf(id, 1000)).pages.flat()).toEqual(events);
  expect((await pagesOf(id, 1)).pages.flat()).toEqual(events);
  const named = Object.fromEntries(lines.map(({ name, exact_amount_cents }) => [name, exact_amount_cents]));
  expect(addUp(events)).toBe(named.events ?? "0");
  expect(running).toBe(addUp(lines.filter(({ name }) => name === "events" || name === "carried_over")));
  return { lines: named, contributions: events.map((event) => event.exact_amount_cents), text: explanation.text };
}

const TIERS = {
  graduated_ranges: [
    { from_value: 0, to_value: 10, per_unit_amount: "0.10", flat_amount: "1" },
    { from_value: 11, to_value: null, per_unit_amount: "0.0125", flat_amount: "0" },
  ],
};
const SUM = { aggregation_type: "sum_agg", field_name: "bytes" };

const at = (day: number, properties: Record<string, unknown> = {}) => ({
  timestamp: `2024-03-${String(day).padStart(2, "0")}T12:00:00Z`,
  ...properties,
});

test("an event of a graduated price contributes the cost of its units in each tier", async () => {
  const customer = await subscribe({
    metrics: { traffic: SUM },
    charges: [{ metric: "traffic", charge_model: "graduated", properties: TIERS }],
  });
  await customer.send(
    "traffic",
    at(2, { bytes: 8 }),
    at(1, { bytes: 1 }),
    at(3, { bytes: 4 }),
    at(4, { bytes: "x" }),
    at(5, { bytes: -1 }),
  );
  const fee = (await billed(customer)).find(({ item }) => item.type === "charge");
  const { lines, contributions, text } = await checkFee(fee?.svc_id ?? "");
  // The first event enters the first tier; the third uses the last unit of that tier and three units of the second.
  expect(contributions).toEqual(["110", "80", "13.75", "0", "-1.25"]);
  expect(lines).toEqual({ events: "202.5", rounding: "0.5" });
  expect(text).toMatchInlineSnapshot(`
    [
      "traffic, Mar 1, 2024 – Mar 31, 2024",
      "Sum of bytes, from 2024-03-01T00:00:00Z until before 2024-04-01T00:00:00Z",
      "4 events counted, 1 ignored for want of a number as bytes",
      "0 from before + 12 in this window = 12",
      "0 to 10: 10 × €0.10 = €1.00",
      "Flat amount: €1.00",
      "11 and more: 2 × €0.0125 = €0.025",
      "Events of the window: €2.025",
      "Rounding to the smallest unit of the currency: €0.005",
      "Fee: €2.03",
    ]
  `);
});

test("with limits per transaction an event contributes at least its minimum, and free events contribute nothing", async () => {
  const customer = await subscribe({
    metrics: { traffic: SUM },
    charges: [
      {
        metric: "traffic",
        charge_model: "percentage",
        properties: { rate: "1.5", fixed_amount: "0.10", free_units_per_events: 1, per_transaction_min_amount: "1" },
      },
    ],
  });
  await customer.send("traffic", at(1, { bytes: 500 }), at(2, { bytes: 10 }), at(3, { bytes: 333.33 }));
  const fee = (await billed(customer)).find(({ item }) => item.type === "charge");
  const { lines, contributions, text } = await checkFee(fee?.svc_id ?? "");
  expect(contributions).toEqual(["0", "100", "509.995"]);
  expect(lines).toEqual({ events: "609.995", rounding: "0.005" });
  expect(text).toMatchInlineSnapshot(`
    [
      "traffic, Mar 1, 2024 – Mar 31, 2024",
      "Sum of bytes, from 2024-03-01T00:00:00Z until before 2024-04-01T00:00:00Z",
      "3 events counted",
      "0 from before + 843.33 in this window = 843.33",
      "1.5% of 343.33, free: 500: 343.33 × 1.5% = €5.14995",
      "Per event, free events: 1: 2 × €0.10 = €0.20",
      "Limits per transaction: €0.75",
      "Events of the window: €6.09995",
      "Rounding to the smallest unit of the currency: €0.00005",
      "Fee: €6.10",
    ]
  `);
});

test("the event that adds a value contributes its price, and the event that removes the value subtracts it", async () => {
  const customer = await subscribe({
    metrics: { seats: { aggregation_type: "unique_count_agg", field_name: "user" } },
    charges: [{ metric: "seats", properties: { amount: "3" } }],
  });
  const remove = { operation_type: "remove" };
  await customer.send(
    "seats",
    at(1, { user: "a" }),
    at(2, { user: "a" }),
    at(3, { user: "b" }),
    at(4, { user: "a", ...remove }),
    at(5, { user: "c" }),
  );
  const fee = (await billed(customer)).find(({ item }) => item.type === "charge");
  const { contributions } = await checkFee(fee?.svc_id ?? "");
  expect(contributions).toEqual(["300", "0", "300", "-300", "300"]);
});

test("when a cursor cannot carry all values, a page reads its own values from earlier events", async () => {
  const customer = await subscribe({
    metrics: { seats: { aggregation_type: "unique_count_agg", field_name: "user" } },
    charges: [{ metric: "seats", properties: { amount: "1" } }],
  });
  const users = (from: number, count: number, day: number) =>
    Array.from({ length: count }, (_, index) => at(day, { user: `u${from + index}` }));
  await customer.send("seats", ...users(0, 100, 1));
  await customer.send("seats", ...users(100, 100, 2));
  await customer.send("seats", ...users(200, 50, 3), ...users(0, 50, 3));
  await customer.send(
    "seats",
    at(4, { user: "u249" }),
    at(4, { user: "new" }),
    at(4, { user: "u3", operation_type: "remove" }),
  );
  const fee = (await billed(customer)).find(({ item }) => item.type === "charge")?.svc_id ?? "";
  const { pages } = await pagesOf(fee, 100);
  const { pages: whole } = await pagesOf(fee, 1000);
  expect(pages.flat()).toEqual(whole.flat());
  const amounts = pages.map((page) => page.map((event) => event.exact_amount_cents));
  expect(amounts[2]).toEqual([...Array(50).fill("100"), ...Array(50).fill("0")]);
  expect(amounts[3]).toEqual(["0", "100", "-100"]);
});

test("a prorated seat contributes its days, and carried-over seats have a line of their own", async () => {
  const customer = await subscribe({
    metrics: { seats: { aggregation_type: "unique_count_agg", field_name: "user", recurring: true } },
    charges: [{ metric: "seats", prorated: true, properties: { amount: "30" } }],
  });
  await customer.send("seats", at(1, { user: "a" }), at(1, { user: "b" }));
  await customer.advanceTo("2024-04-01T00:00:00Z");
  await customer.send(
    "seats",
    { timestamp: "2024-04-11T12:00:00Z", user: "c" },
    { timestamp: "2024-04-20T12:00:00Z", user: "b", operation_type: "remove" },
  );
  const fees = (await billed(customer, "2024-05-01T00:00:00Z")).filter(({ item }) => item.type === "charge");
  const { lines, contributions, text } = await checkFee(fees.at(-1)?.svc_id ?? "");
  // a for 30 days and b for 20 of them, c for 20: 20 of 30 days are 0.66666… units, and 2.33333… are rounded up.
  expect(contributions).toEqual(["2000", "0"]);
  expect(lines).toEqual({ carried_over: "5000", events: "2000", units_rounding: "0.02", rounding: "-0.02" });
  expect(text).toMatchInlineSnapshot(`
    [
      "seats, Apr 1, 2024 – Apr 30, 2024",
      "Different values of user in use, from 2024-04-01T00:00:00Z until before 2024-05-01T00:00:00Z",
      "4 events counted",
      "2 from before + 1 added - 1 removed = 2",
      "By days: 2.33334 × €30.00 = €70.0002",
      "Carried over from before the window: €50.00",
      "Events of the window: €20.00",
      "Units rounded up: €0.0002",
      "Rounding to the smallest unit of the currency: -€0.0002",
      "Fee: €70.00",
    ]
  `);
});

test("each filter and group is a fee with its own events", async () => {
  const customer = await subscribe({
    metrics: { traffic: { ...SUM, filters: [{ key: "region", values: ["eu", "us"] }] } },
    charges: [
      {
        metric: "traffic",
        properties: { amount: "1", grouped_by: ["team"] },
        filters: [{ values: { region: ["eu"] }, properties: { amount: "2", grouped_by: ["team"] } }],
      },
    ],
  });
  await customer.send(
    "traffic",
    at(1, { bytes: 1, region: "eu", team: "a" }),
    at(2, { bytes: 2, region: "us", team: "a" }),
    at(3, { bytes: 3, region: "eu", team: "b" }),
    at(4, { bytes: 4, region: "eu", team: "a" }),
  );
  const fees = (await billed(customer)).filter(({ item }) => item.type === "charge");
  const found = await Promise.all(fees.map(async ({ svc_id }) => (await checkFee(svc_id)).contributions));
  expect(found.toSorted()).toEqual([["200", "800"], ["200"], ["600"]].toSorted());
});

test("weighted sum, maximum and latest value split their result over the events", async () => {
  const of = (aggregation_type: string) => ({ aggregation_type, field_name: "bytes" });
  const customer = await subscribe({
    metrics: {
      weighted: { ...of("weighted_sum_agg"), weighted_interval: "seconds" },
      most: of("max_agg"),
      last: of("latest_agg"),
    },
    charges: ["weighted", "most", "last"].map((metric) => ({ metric, properties: { amount: "1" } })),
  });
  for (const metric of ["weighted", "most", "last"])
    await customer.send(metric, at(1, { bytes: 3 }), at(11, { bytes: 7 }), at(21, { bytes: 5 }));
  const fees = (await billed(customer)).filter(({ item }) => item.type === "charge");
  const found = await Promise.all(fees.map(async ({ svc_id }) => checkFee(svc_id)));
  const days = (value: bigint, half: bigint) =>
    exactText(inMinorUnits(readExact(`${value * half}/62`), currency("EUR")));
  expect(found.map(({ contributions }) => contributions)).toEqual([
    [days(3n, 61n), days(7n, 41n), days(5n, 21n)],
    ["300", "400", "0"],
    ["0", "0", "500"],
  ]);
  expect(Object.keys(found[0]?.lines ?? {})).toEqual(["events", "units_rounding", "rounding"]);
});

test("a fee in advance has one event; minimum, subscription and add-on fees have none", async () => {
  const customer = await subscribe({
    metrics: { calls: { aggregation_type: "count_agg" }, seats: { aggregation_type: "count_agg" } },
    charges: [
      { metric: "calls", min_amount_cents: 1000, properties: { amount: "0.015" } },
      { metric: "seats", pay_in_advance: true, properties: { amount: "0.129" } },
    ],
    plan: { amount_cents: 3100 },
    subscription: { subscription_at: "2024-03-01T00:00:00Z" },
  });
  await customer.send("calls", at(1));
  await customer.send("seats", at(1));
  const fees = await billed(customer);
  const kinds = await Promise.all(
    fees.map(async ({ svc_id }) => {
      const { lines, contributions } = await checkFee(svc_id);
      return { lines, contributions };
    }),
  );
  expect(kinds).toEqual(
    expect.arrayContaining([
      { lines: { events: "12.9", rounding: "0.1" }, contributions: ["12.9"] },
      { lines: { events: "1.5", rounding: "0.5" }, contributions: ["1.5"] },
      { lines: { required: "1000", already_billed: "-2" }, contributions: [] },
      { lines: { amount: "3100" }, contributions: [] },
    ]),
  );
});

test("an invoice is explained from its fees through coupons, taxes and credits to its total", async () => {
  const customer = await subscribe({
    metrics: { traffic: SUM },
    charges: [{ metric: "traffic", charge_model: "graduated", properties: TIERS }],
    plan: { amount_cents: 5000 },
  });
  const must = async (path: string, body: object) => {
    const { status, text } = await call("POST", path, body);
    expect(status, text).toBe(200);
  };
  await must("/taxes", { tax: { name: "VAT", code: "vat", rate: 20 } });
  await must("/customers", { customer: { external_id: customer.customer, tax_codes: ["vat"] } });
  const coupon = {
    name: "Welcome",
    code: "WELCOME",
    coupon_type: "fixed_amount",
    amount_cents: 1000,
    amount_currency: "EUR",
    frequency: "once",
    expiration: "no_expiration",
  };
  await must("/coupons", { coupon });
  await must("/applied_coupons", {
    applied_coupon: { external_customer_id: customer.customer, coupon_code: "WELCOME" },
  });
  await must("/wallets", {
    wallet: { external_customer_id: customer.customer, rate_amount: "1", currency: "EUR", granted_credits: "7.5" },
  });
  await customer.send("traffic", at(2, { bytes: 1500 }));
  const fees = await billed(customer);
  const { explanation } = await get(`/invoices/${fees[0]?.svc_invoice_id}/explanation`);
  expect(explanation.text).toMatchInlineSnapshot(`
    [
      "Plan, Mar 1, 2024 – Mar 31, 2024: €50.00",
      "  1 × €50.00 = €50.00",
      "traffic, Mar 1, 2024 – Mar 31, 2024: €20.63",
      "  Sum of bytes, from 2024-03-01T00:00:00Z until before 2024-04-01T00:00:00Z",
      "  1 event counted",
      "  0 from before + 1500 in this window = 1500",
      "  0 to 10: 10 × €0.10 = €1.00",
      "  Flat amount: €1.00",
      "  11 and more: 1,490 × €0.0125 = €18.625",
      "  Exactly €20.625, rounded to €20.63",
      "Fees: €70.63",
      "Coupon WELCOME, €10.00 on €70.63: -€10.00",
      "Subtotal before taxes: €60.63",
      "VAT 20% on €60.63 = €12.126",
      "Taxes, rounded once: €12.13",
      "Prepaid credits, 7.5 × €1.00: -€7.50",
      "Total: €65.26",
    ]
  `);
  const { invoice } = await get(`/invoices/${fees[0]?.svc_invoice_id}`);
  expect(explanation.total_amount_cents).toBe(invoice.total_amount_cents);
  const { coupons, taxes, text } = await explanationOf(fees.find(({ item }) => item.type === "charge")?.svc_id ?? "");
  expect(coupons).toHaveLength(1);
  expect(taxes).toEqual([{ code: "vat", name: "VAT", rate: 20, amount_cents: expect.any(Number) }]);
  expect(text.slice(-3)).toMatchInlineSnapshot(`
    [
      "Fee: €20.63",
      "Share of coupon WELCOME: -€2.920855160696588",
      "VAT 20% on €17.709144839303412: €3.54",
    ]
  `);
});

test("regrouped fees, add-ons and purchased credits have explanations of their own", async () => {
  const customer = await subscribe({
    metrics: { calls: { aggregation_type: "count_agg" } },
    charges: [
      {
        metric: "calls",
        pay_in_advance: true,
        invoiceable: false,
        regroup_paid_fees: "invoice",
        properties: { amount: "1.25" },
      },
    ],
  });
  await customer.send("calls", at(1));
  const [paid] = await billed(customer, "2024-03-02T00:00:00Z");
  await call("PUT", `/fees/${paid?.svc_id}`, { fee: { payment_status: "succeeded" } });
  const regrouped = (await billed(customer)).find(({ svc_id }) => svc_id === paid?.svc_id)?.svc_invoice_id;
  expect((await get(`/invoices/${regrouped}/explanation`)).explanation.text).toMatchInlineSnapshot(`
    [
      "calls, Mar 1, 2024 – Mar 31, 2024: €1.25",
      "  with this event: 1 × 1.25 = 1.25",
      "  without it: 0 × 1.25 = 0",
      "Fees, each paid before: €1.25",
      "Taxes that were paid with them: €0.00",
      "Total: €1.25",
    ]
  `);
  await call("POST", "/add_ons", {
    add_on: { name: "Set-up", code: "setup", amount_cents: 333, amount_currency: "EUR" },
  });
  const { body } = await call("POST", "/invoices", {
    invoice: { external_customer_id: customer.customer, fees: [{ add_on_code: "setup", units: 1.5 }] },
  });
  const { lines } = await checkFee(body.invoice.fees[0].svc_id);
  expect(lines).toEqual({ amount: "499.5", rounding: "0.5" });
  expect((await get(`/invoices/${body.invoice.svc_id}/explanation`)).explanation.text).toMatchInlineSnapshot(`
    [
      "Set-up: €5.00",
      "  1.5 × 3.33 = 4.995, rounded to 5.00 EUR",
      "Fees: €5.00",
      "Subtotal before taxes: €5.00",
      "Total: €5.00",
    ]
  `);
  await call("POST", "/wallets", {
    wallet: { external_customer_id: customer.customer, rate_amount: "0.5", currency: "EUR", paid_credits: "10" },
  });
  const bought = `/invoices?invoice_type=credit&external_customer_id=${encodeURIComponent(customer.customer)}`;
  const [purchase] = (await get(bought)).invoices;
  expect((await get(`/invoices/${purchase.svc_id}/explanation`)).explanation.text).toMatchInlineSnapshot(`
    [
      "Prepaid credits: €5.00",
      "  10 credits × 0.5 = 5, rounded to 5.00 EUR",
      "Fees: €5.00",
      "Subtotal before taxes: €5.00",
      "Total: €5.00",
    ]
  `);
});

test("a new price or a late event does not change an explanation", async () => {
  const customer = await subscribe({
    metrics: { traffic: SUM },
    charges: [{ metric: "traffic", properties: { amount: "1" } }],
  });
  await customer.send("traffic", at(2, { bytes: 8 }), at(3, { bytes: 1 }));
  const fee = (await billed(customer)).find(({ item }) => item.type === "charge")?.svc_id ?? "";
  const before = await checkFee(fee);
  await customer.send("traffic", at(2, { bytes: 100 }));
  const code = `plan ${customer.mark}`;
  const { plan } = await get(`/plans/${encodeURIComponent(code)}`);
  const charges = plan.charges.map(({ svc_id, ...charge }: Record<string, unknown>) => ({
    ...charge,
    id: svc_id,
    billable_metric_id: charge.svc_billable_metric_id,
    properties: { amount: "9" },
  }));
  const { status, text } = await call("PUT", `/plans/${encodeURIComponent(code)}`, { plan: { ...plan, charges } });
  expect(status, text).toBe(200);
  expect(await checkFee(fee)).toEqual(before);
  expect(before.contributions).toEqual(["800", "100"]);
});

test("a standalone fee keeps its explanation after its draft is recomputed", async () => {
  const customer = await subscribe({
    metrics: { seats: { aggregation_type: "unique_count_agg", field_name: "user", recurring: true } },
    charges: [{ metric: "seats", pay_in_advance: true, invoiceable: false, properties: { amount: "12" } }],
    customer: { billing_configuration: { invoice_grace_period: 5 } },
  });
  await customer.send("seats", at(2, { user: "a" }));
  type Alone = { svc_id: string; event_transaction_id: string | null; item: { type: string } };
  const fees = (await billed(customer)) as unknown as Alone[];
  const alone = fees.find(({ item, event_transaction_id: id }) => item.type === "charge" && id === null)?.svc_id ?? "";
  const before = await checkFee(alone);
  expect(before.lines).toEqual({ [Object.keys(before.lines)[0] ?? ""]: "1200" });
  await customer.send("seats", at(3, { user: "b" }));
  const { invoices } = await get(`/invoices?external_customer_id=${encodeURIComponent(customer.customer)}`);
  for (let time = 0; time < 2; time++)
    expect((await call("PUT", `/invoices/${invoices[0].svc_id}/refresh`)).status).toBe(200);
  expect(await checkFee(alone)).toEqual(before);
  await customer.advanceTo("2024-04-06T00:00:00Z");
  expect(await checkFee(alone)).toEqual(before);
});

test("a cursor works only unchanged, for its own fee and organization", async () => {
  const customer = await subscribe({
    metrics: { traffic: SUM },
    charges: ["1", "2"].map((amount) => ({ metric: "traffic", properties: { amount } })),
  });
  await customer.send("traffic", at(2, { bytes: 8 }), at(3, { bytes: 1 }));
  const fees = (await billed(customer)).filter(({ item }) => item.type === "charge");
  const [mine, another] = fees
    .toSorted((one, other) => one.amount_cents - other.amount_cents)
    .map(({ svc_id }) => svc_id);
  const { meta } = await get(`/fees/${mine}/explanation/events?per_page=1`);
  const [payload = "", signature = ""] = meta.next_cursor.split(".");
  const forged = Buffer.from(
    Buffer.from(payload, "base64url").toString().replace('"amount":"8"', '"amount":"8000"'),
  ).toString("base64url");
  expect(forged).not.toBe(payload);
  const refused = { code: "validation_errors", error_details: { cursor: ["value_is_invalid"] } };
  const pageOf = (fee: string, cursor: string) =>
    call("GET", `/fees/${fee}/explanation/events?per_page=1&cursor=${cursor}`);
  for (const cursor of [`${forged}.${signature}`, `${payload}.`, payload, "x", `${meta.next_cursor}.x`]) {
    expect((await pageOf(mine ?? "", cursor)).body).toMatchObject(refused);
  }
  expect((await pageOf(another ?? "", meta.next_cursor)).body).toMatchObject(refused);
  expect((await pageOf(mine ?? "", meta.next_cursor)).status).toBe(200);
  const key = organizations[1]?.key ?? "";
  for (const path of ["explanation", "explanation/events", `explanation/events?cursor=${meta.next_cursor}`]) {
    const { status, body } = await call("GET", `/fees/${mine}/${path}`, undefined, { key });
    expect({ status, code: body.code }).toMatchObject({ status: 404, code: "fee_not_found" });
  }
});
