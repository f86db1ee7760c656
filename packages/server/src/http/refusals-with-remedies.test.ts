/** Refusals found by trying the API like somebody in a hurry: each says what the request lacks and what to send instead. */
import { gzipSync } from "node:zlib";
import { beforeAll, expect, it, test } from "vitest";
import { aCustomer, anEvent, aTax, givenCustomerAndAddOn, givenMetric, givenPlan } from "../testing/sample-records.ts";
import { type Answer, startTallystick } from "../testing/start-tallystick.ts";

const { call } = await startTallystick();

beforeAll(async () => {
  for (const mark of ["one", "two"]) await call("POST", "/customers", aCustomer(mark));
});

const first = ({ status, help }: Answer) => [status, help.errors[0].path, help.errors[0].message];

it.each([
  ["/invoices?status=drafty", "status", "Send one of: draft, finalized, voided."],
  ["/invoices?status=", "status", "Send one of: draft, finalized, voided."],
  ["/invoices?status=draft,finalized", "status", "Send one of: draft, finalized, voided."],
  ["/invoices?status[]=draft&status[]=x", "status[][1]", "Send one of: draft, finalized, voided."],
  ["/invoices?status[0]=draft", "status[0]", /Did you mean "status(\[\])?"\? It takes: page, .*status/],
  ["/customers?external_id=a&external_id=b", "external_id", /Send the parameter once, with one value\.$/],
  ["/customers?limit=0", "limit", "Send a whole number from 1 up to 1000."],
  ["/customers?cursor=junk", "cursor", /Send the `next_cursor` of the previous page/],
])("%s is refused under %s with what it takes", async (path, at, message) => {
  const answer = await call("GET", path);
  expect(first(answer)).toEqual([422, at, expect.stringMatching(message)]);
});

test("a cursor of another order is refused with how to go on", async () => {
  const { next_cursor } = (await call("GET", "/customers?limit=1&sort=name")).body.meta;
  const answer = await call("GET", `/customers?limit=1&sort=-name&cursor=${next_cursor}`);
  expect(first(answer)).toEqual([422, "cursor", expect.stringContaining("with the same `sort`, or begin without one")]);
});

test("a path that lacks a segment is 404, not a method that it has", async () => {
  const { status, body } = await call("GET", "//taxes");
  expect([status, body.code]).toEqual([404, "resource_not_found"]);
});

test("a used, an empty and a too long Idempotency-Key are refused with what a key is", async () => {
  const send = (key: string, mark: string) =>
    call("POST", "/taxes", aTax(mark), { headers: { "idempotency-key": key } });
  expect((await send("a key", "first")).status).toBe(200);
  expect(first(await send("a key", "other"))).toEqual([
    422,
    "idempotency_key",
    expect.stringMatching(/^Another request.*Send a new key/),
  ]);
  expect(first(await send(" ", "empty"))).toEqual([
    422,
    "idempotency_key",
    expect.stringContaining("leave the header out"),
  ]);
  expect(first(await send("x".repeat(256), "long"))).toEqual([
    422,
    "idempotency_key",
    expect.stringContaining("at most 255"),
  ]);
});

test("another event with a transaction_id that is stored is refused as such, alone and in a batch", async () => {
  const { event } = anEvent("conflict");
  await call("POST", "/events", { event });
  const other = { ...event, properties: { gigabytes: 13 } };
  const message = expect.stringMatching(/other content\. Send a new `transaction_id`/);
  expect(first(await call("POST", "/events", { event: other }))).toEqual([422, "event.transaction_id", message]);
  expect(first(await call("POST", "/events/batch", { events: [event, other] }))).toEqual([
    422,
    "events[1].transaction_id",
    message,
  ]);
});

test("a compressed body is refused as compressed", async () => {
  const headers = { "content-encoding": "gzip" };
  const { status, help } = await call("POST", "/customers", undefined, { raw: gzipSync("{}"), headers });
  expect([status, help.message]).toEqual([400, expect.stringContaining("Send it without Content-Encoding")]);
});

test("wrong units are named by their fee", async () => {
  await givenCustomerAndAddOn(call, "units");
  const fee = { add_on_code: "add-on units" };
  const fees = [fee, { ...fee, units: "1e2" }];
  const answer = await call("POST", "/invoices", {
    invoice: { external_customer_id: "customer units", currency: "EUR", fees },
  });
  expect(first(answer)).toEqual([422, "invoice.fees[1].units", expect.stringContaining('"2.5"')]);
  expect(answer.body.error_details).toEqual({ units: ["value_is_invalid"] });
});

test("two metrics of one charge are named by the charge", async () => {
  const { metric_id: billable_metric_id, code } = await givenPlan(call, "metrics");
  const { code: billable_metric_code } = await givenMetric(call, "another");
  const charge = { billable_metric_id, charge_model: "standard" };
  const answer = await call("PUT", `/plans/${encodeURIComponent(code ?? "")}`, {
    plan: { charges: [charge, { ...charge, billable_metric_code }] },
  });
  expect(first(answer)).toEqual([
    422,
    "plan.charges[1].billable_metric_code",
    expect.stringContaining("Send one of them"),
  ]);
});

it.each(["-5", "1e2", "1000", "twenty"])("the tax rate %j is refused with the range", async (rate) => {
  const answer = await call("POST", "/taxes", { tax: { ...aTax("rate").tax, rate } });
  expect(first(answer)).toEqual([422, "tax.rate", expect.stringContaining("from 0 to less than 1000")]);
});
