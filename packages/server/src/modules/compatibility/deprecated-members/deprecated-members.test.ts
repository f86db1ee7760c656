import { expect, it, test } from "vitest";
import { parseExactJson, toExactJson } from "../../../platform/json-text.ts";
import { makeTestKey } from "../../../testing/make-test-key.ts";
import { startReceiver } from "../../../testing/start-receiver.ts";
import { type Answer, type Call, startTallystick } from "../../../testing/start-tallystick.ts";
import { type Members, memberAt } from "./members.ts";
import { DEPRECATED_MEMBERS, type DeprecatedMember, type ObjectName } from "./table.ts";

/** As listed in the interface, with each field of a group of members on its own. */
const OF_THE_INTERFACE = `
  applied_coupon.expiration_date coupon.expiration_date billable_metric.group credit.before_vat credit.item.svc_id
  credit_note.balance_amount_currency credit_note.credit_amount_currency credit_note.refund_amount_currency
  credit_note.sub_total_vat_excluded_amount_currency credit_note.total_amount_currency credit_note.vat_amount_currency
  credit_note.sub_total_vat_excluded_amount_cents credit_note.vat_amount_cents customer.billing_configuration.vat_rate
  organization.billing_configuration.vat_rate customer_usage.amount_currency customer_usage.total_amount_currency
  customer_usage.vat_amount_currency customer_usage.charge_usages.groups customer_usage.from_date customer_usage.to_date
  customer_usage.vat_amount_cents event_error.input_params fee.unit_amount_cents fee.vat_amount_cents fee.vat_amount_currency
  invoice.amount_currency invoice.credit_amount_currency invoice.total_amount_currency invoice.vat_amount_currency invoice.amount_cents
  invoice.credit_amount_cents invoice.fees.group_invoice_display_name invoice.fees.svc_group_id invoice.legacy
  invoice.sub_total_vat_excluded_amount_cents invoice.sub_total_vat_included_amount_cents invoice.vat_amount_cents
  plan.charges.group_properties subscription.subscription_date wallet.balance wallet.expiration_date`;

/** Where the objects of the table appear. The test must find each place. */
const PLACES: Partial<Record<ObjectName, { answers: string[]; messages?: string[] }>> = {
  applied_coupon: { answers: ["applied_coupon", "applied_coupons[]"] },
  billable_metric: { answers: ["billable_metric", "billable_metrics[]"] },
  charge: {
    answers: ["plan.charges[]", "plans[].charges[]", "subscription.plan.charges[]"],
    messages: ["subscription.plan.charges[]"],
  },
  charge_usage: { answers: ["customer_usage.charges_usage[]", "usage_periods[].charges_usage[]"] },
  coupon: { answers: ["coupon", "coupons[]"] },
  credit: { answers: ["invoice.credits[]", "applied_coupons[].credits[]"], messages: ["invoice.credits[]"] },
  credit_note: { answers: ["credit_note", "credit_notes[]"], messages: ["credit_note"] },
  customer: {
    answers: ["customer", "customers[]", "invoice.customer", "invoices[].customer"],
    messages: ["customer", "invoice.customer", "subscription.customer", "credit_note.customer"],
  },
  customer_usage: { answers: ["customer_usage", "usage_periods[]"] },
  fee: {
    answers: ["fee", "fees[]", "invoice.fees[]", "credit_note.items[].fee", "credit_notes[].items[].fee"],
    messages: ["fee", "invoice.fees[]", "credit_note.items[].fee"],
  },
  invoice: { answers: ["invoice", "invoices[]"], messages: ["invoice", "payment_dispute_lost.invoice"] },
  organization: { answers: ["organization"] },
  subscription: {
    answers: ["subscription", "subscriptions[]", "invoice.subscriptions[]"],
    messages: ["subscription", "invoice.subscriptions[]"],
  },
  wallet: { answers: ["wallet", "wallets[]"], messages: ["wallet_transaction.wallet"] },
};

const receiver = await startReceiver();
const { platform, app, call, organizations, drain } = await startTallystick({
  settings: { OUTBOUND_TRUSTED_HOSTS: "127.0.0.1" },
});
const [{ id: organizationId, key: firstKey } = { id: "", key: "" }] = organizations;

/** Sets it and creates a new key, because the setting of a known key is cached for seconds. */
async function keyWith(include_deprecated_fields: boolean): Promise<string> {
  await must("PUT", "/organizations", { organization: { include_deprecated_fields } }, { key: firstKey });
  const { token } = await makeTestKey(platform, organizationId);
  return token;
}

const must = async (...request: Parameters<Call>): Promise<Answer["body"]> => {
  const { status, body, text } = await call(...request);
  expect(status, `${request[0]} ${request[1]}: ${text}`).toBe(200);
  return body;
};

/** The answer with the setting on and, for repeated requests, with the setting off. */
type Sent = { path: string; on: Answer; off?: Answer };
const answers: Sent[] = [];
const on = await keyWith(true);

/** Requests and answers of an old client. */
const ask = async (method: "GET" | "POST" | "PUT", path: string, body?: object): Promise<Answer["body"]> => {
  const answer = await call(method, path, body, { key: on });
  expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(200);
  answers.push({ path: `${method} ${path}`, on: answer });
  return answer.body;
};

await ask("POST", "/webhook_endpoints", { webhook_endpoint: { webhook_url: receiver.url("/told") } });
await ask("POST", "/taxes", { tax: { name: "VAT", code: "vat", rate: "20", applied_to_organization: true } });
await ask("POST", "/taxes", { tax: { name: "Local", code: "local", rate: "8.875" } });

const metric = { name: "Storage", aggregation_type: "sum_agg", field_name: "gigabytes" };
const regions = { key: "region", values: ["eu", "us"] };
const clouds = {
  key: "cloud",
  values: [
    { name: "aws", key: "region", values: ["eu"] },
    { name: "gcp", key: "region", values: ["eu", "us"] },
  ],
};
const storage = (
  await ask("POST", "/billable_metrics", { billable_metric: { ...metric, code: "storage", group: regions } })
).billable_metric;
const calls = (await ask("POST", "/billable_metrics", { billable_metric: { ...metric, code: "calls", group: clouds } }))
  .billable_metric;
const inEurope = { group_id: "region=eu", values: { amount: "0.125" }, invoice_display_name: "Europe" };
const terms = { name: "Plan", code: "plan", interval: "monthly", amount_cents: 1000, amount_currency: "EUR" };
const charge = {
  billable_metric_id: storage.svc_id,
  charge_model: "standard",
  properties: { amount: "0" },
  group_properties: [inEurope],
};
const { plan } = await ask("POST", "/plans", {
  plan: {
    ...terms,
    pay_in_advance: false,
    charges: [
      charge,
      {
        billable_metric_id: calls.svc_id,
        charge_model: "standard",
        properties: { amount: "0.335" },
        pay_in_advance: true,
      },
    ],
  },
});

const clock = (await ask("POST", "/test_clocks", { test_clock: { name: "c", now: "2026-01-01T00:00:00Z" } }))
  .test_clock;
const customer = { external_id: "acme", currency: "EUR", test_clock_id: clock.svc_id };
await ask("POST", "/customers", { customer });
await ask("POST", "/customers", { customer: { ...customer, external_id: "globex" } });
const input = { external_customer_id: "acme", plan_code: "plan", external_id: "main" };
await ask("POST", "/subscriptions", {
  subscription: { ...input, subscription_date: "2026-01-01" },
});

const reduction = { coupon_type: "fixed_amount", amount_cents: 100, amount_currency: "EUR", frequency: "once" };
const expiring = { expiration: "time_limit", expiration_date: "2098-06-30" };
await ask("POST", "/coupons", { coupon: { name: "C", code: "c", ...reduction, ...expiring } });
await ask("POST", "/applied_coupons", { applied_coupon: { external_customer_id: "acme", coupon_code: "c" } });
const { wallet } = await ask("POST", "/wallets", {
  wallet: { external_customer_id: "acme", rate_amount: "1", granted_credits: "1.25", expiration_date: "2098-06-30" },
});

const event = { external_subscription_id: "main", timestamp: 1767600000 };
const used = (code: string, properties: object) => ({ event: { ...event, transaction_id: code, code, properties } });
await ask("POST", "/events", used("storage", { gigabytes: "80", region: "eu" }));
await ask("POST", "/events", used("calls", { gigabytes: "1", region: "eu", cloud: "aws" }));
/** Nearly the largest amount of an invoice, taxes included: 1000 for the plan, 0.125 per unit. */
const MUCH = "7007199254740991";
const globex = { external_customer_id: "globex", plan_code: "plan", external_id: "large" };
await ask("POST", "/subscriptions", { subscription: { ...globex, subscription_date: "2026-01-01" } });
const { event: much } = used("storage", { gigabytes: "560575940379199.28", region: "eu" });
await ask("POST", "/events", { event: { ...much, external_subscription_id: "large" } });
await drain();
await ask("GET", "/customers/acme/current_usage?external_subscription_id=main");
await ask("POST", "/events/estimate_fees", used("calls", { gigabytes: "1" }));
await ask("POST", "/invoices/preview", { invoice: { external_subscription_id: "main" } });
await ask("POST", `/test_clocks/${clock.svc_id}/advance`, { test_clock: { now: "2026-02-01T00:00:00Z" } });
const [listed] = (await ask("GET", "/invoices?external_customer_id=acme&invoice_type=subscription")).invoices.filter(
  ({ fees_amount_cents }: Members) => Number(fees_amount_cents) >= 1000,
);
const { invoice } = await ask("GET", `/invoices/${listed.svc_id}`);
const items = [{ fee_id: invoice.fees[0].svc_id, amount_cents: 10 }];
const noted = { invoice_id: invoice.svc_id, credit_amount_cents: 11, items };
const { credit_note } = await ask("POST", "/credit_notes", { credit_note: noted });
await ask("POST", `/invoices/${invoice.svc_id}/lose_dispute`);

const [large] = (await ask("GET", "/invoices?external_customer_id=globex")).invoices;
await drain();

/** Repeated without the setting. */
const COMPARED = [
  "/organizations",
  "/customers",
  "/customers/acme",
  "/billable_metrics",
  "/billable_metrics/calls",
  "/plans",
  "/plans/plan",
  "/subscriptions",
  "/subscriptions/main",
  "/coupons",
  "/applied_coupons",
  "/wallets",
  `/wallets/${wallet.svc_id}`,
  "/fees",
  `/fees/${invoice.fees[0].svc_id}`,
  "/invoices",
  `/invoices/${large.svc_id}`,
  "/credit_notes",
  `/credit_notes/${credit_note.svc_id}`,
  "/customers/acme/past_usage?external_subscription_id=main",
  "/events",
  "/taxes",
];
for (const path of COMPARED) await ask("GET", path);

const beginning = { subscription_date: "2026-01-15" };
const taxed = (vat_rate: unknown) => ({ billing_configuration: { vat_rate } });

type Requested = [method: "POST" | "PUT", path: string, body: (mark: string) => object];
/** The result of a request with a deprecated member, with and without the setting; a status if it is refused. */
const REQUESTS: Record<string, { requested: Requested; shows: string; on: unknown; off: unknown }> = {
  "coupon.expiration_date": {
    requested: ["POST", "/coupons", (code) => ({ coupon: { name: "C", code, ...reduction, ...expiring } })],
    shows: "coupon.expiration_at",
    on: "2098-06-30T23:59:59Z",
    off: 422,
  },
  "wallet.expiration_date": {
    requested: ["PUT", `/wallets/${wallet.svc_id}`, () => ({ wallet: { expiration_date: "2098-07-01" } })],
    shows: "wallet.expiration_at",
    on: "2098-07-01T23:59:59Z",
    off: "2098-06-30T23:59:59Z",
  },
  "subscription.subscription_date": {
    requested: ["POST", "/subscriptions", (external_id) => ({ subscription: { ...input, external_id, ...beginning } })],
    shows: "subscription.subscription_at",
    on: "2026-01-15T00:00:00Z",
    off: "2026-02-01T00:00:00Z",
  },
  "billable_metric.group": {
    requested: ["POST", "/billable_metrics", (code) => ({ billable_metric: { ...metric, code, group: clouds } })],
    shows: "billable_metric.filters",
    on: [
      { key: "cloud", values: ["aws", "gcp"] },
      { key: "region", values: ["eu", "us"] },
    ],
    off: [],
  },
  "charge.group_properties": {
    requested: ["POST", "/plans", (code) => ({ plan: { ...terms, code, pay_in_advance: false, charges: [charge] } })],
    shows: "plan.charges.0.filters",
    on: [
      {
        svc_id: expect.any(String),
        values: { region: ["eu"] },
        properties: { amount: "0.125" },
        invoice_display_name: "Europe",
      },
    ],
    off: [],
  },
  "customer.billing_configuration.vat_rate": {
    requested: ["POST", "/customers", (external_id) => ({ customer: { external_id, ...taxed(8.875) } })],
    shows: "customer.taxes.0.code",
    on: "local",
    off: "vat",
  },
  "organization.billing_configuration.vat_rate": {
    requested: ["PUT", "/organizations", () => ({ organization: taxed(21) })],
    shows: "organization.taxes.0.rate",
    on: 422,
    off: 20,
  },
};

const resultOf = ({ status, body }: Answer, path: string): unknown =>
  status === 200 ? path.split(".").reduce((found, name) => found?.[name], body) : status;

const junk = [
  null,
  1,
  "text",
  [],
  { customer: null },
  { plan: { charges: [1] } },
  { subscription: { plan_overrides: [] } },
];
const refusals = (key: string) =>
  Promise.all(
    junk.map(async (body) => {
      const answer = await call("POST", `/${Object.keys(body ?? {})[0] ?? "customer"}s`, body, { key });
      return [answer.status, answer.body] as const;
    }),
  );

const publishedSoFar = receiver.received.length;
const off = await keyWith(false);
for (const one of answers.slice(-COMPARED.length))
  one.off = await call("GET", one.path.slice(4), undefined, { key: off });
const ignored = new Map<string, unknown>();
for (const [name, { requested, shows }] of Object.entries(REQUESTS)) {
  const [method, path, body] = requested;
  ignored.set(name, resultOf(await call(method, path, body("without"), { key: off }), shows));
}
const refused = await refusals(off);
await must("POST", `/invoices/${large.svc_id}/void`, undefined, { key: off });
await drain();
const again = await keyWith(true);

const allMessages: Members[] = receiver.received.map(({ body }) => JSON.parse(body));
const messages = allMessages.slice(0, publishedSoFar);
const textOfLarge = () => receiver.received.find(({ body }) => body.includes(MUCH))?.body ?? "";

/** All values at a path such as `invoice.fees[].item`. */
function at(body: unknown, path: string): Members[] {
  const [step, ...rest] = path.split(".");
  const name = step?.replace("[]", "") ?? "";
  const found = (body as Members | null)?.[name];
  const values = (step?.endsWith("[]") ? (Array.isArray(found) ? found : []) : [found]).filter(
    (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  ) as Members[];
  return rest.length === 0 ? values : values.flatMap((value) => at(value, rest.join(".")));
}

const day = (name: string) => (object: Members) => (object[name] as string | null)?.slice(0, 10) ?? null;

/** Members whose value is not just that of the substitute. */
const EXPECTED: Record<string, (object: Members) => unknown> = {
  "applied_coupon.expiration_date": () => "2098-06-30",
  "coupon.expiration_date": () => "2098-06-30",
  "billable_metric.group": ({ code }) =>
    code === "storage"
      ? regions
      : { key: "cloud", values: ["aws", "gcp"].map((name) => ({ name, key: "region", values: ["eu", "us"] })) },
  "customer.billing_configuration.vat_rate": () => 20,
  "organization.billing_configuration.vat_rate": () => 20,
  "charge_usage.groups": ({ filters }) =>
    (filters as Members[])
      .filter(({ values }) => values !== null)
      .map(({ units, amount_cents, events_count }) => ({
        svc_id: "region=eu",
        key: "region",
        value: "eu",
        units,
        amount_cents,
        events_count,
      })),
  "customer_usage.from_date": day("from_datetime"),
  "customer_usage.to_date": day("to_datetime"),
  "fee.unit_amount_cents": ({ precise_unit_amount }) => Math.round(Number(precise_unit_amount) * 100 + 1e-9),
  "fee.svc_group_id": ({ svc_charge_filter_id }) => (svc_charge_filter_id === null ? null : "region=eu"),
  "invoice.credit_amount_cents": ({ coupons_amount_cents, credit_notes_amount_cents }) =>
    Number(coupons_amount_cents) + Number(credit_notes_amount_cents),
  "invoice.legacy": () => false,
  "charge.group_properties": ({ svc_billable_metric_id }) =>
    svc_billable_metric_id === storage.svc_id ? [inEurope] : [],
  "subscription.subscription_date": () => "2026-01-01",
  "wallet.balance": ({ balance_cents }) => (Number(balance_cents) === 125 ? "1.25" : "0.0"),
  "wallet.expiration_date": () => "2098-06-30",
};
const nameOf = ({ object, deprecated }: DeprecatedMember) => `${object}.${deprecated}`;

test("the table has the members of the interface, and no others", () => {
  const written = OF_THE_INTERFACE.trim()
    .split(/\s+/)
    .map((name) => name.replace("invoice.fees.", "fee.").replace("plan.charges.", "charge."))
    .map((name) => name.replace("customer_usage.charge_usages.", "charge_usage."));
  const inItem = "fee.item.group_invoice_display_name";
  expect(DEPRECATED_MEMBERS.map(nameOf).sort()).toEqual([...written, inItem].sort());
});

const send = (...[method, path, body]: Parameters<Call>) => call(method, path, body, { key: again });

const sent = DEPRECATED_MEMBERS.filter(({ object }) => object !== "event_error").map((row) => ({
  name: nameOf(row),
  row,
}));

it.each(sent)("$name is in every answer and message about its object, with its old value", ({ name, row }) => {
  const places = PLACES[row.object] ?? { answers: [] };
  const look = (bodies: readonly unknown[], path: string) => {
    const objects = bodies.flatMap((body) => at(body, path));
    expect(objects.length, path).toBeGreaterThan(0);
    for (const object of objects) {
      const expected = EXPECTED[name]?.(object) ?? memberAt(object, row.substitute ?? "") ?? null;
      expect(memberAt(object, row.deprecated), `${path} ${JSON.stringify(object)}`).toEqual(expected);
    }
  };
  const bodies = answers.map(({ on }) => on.body);
  for (const path of places.answers) look(bodies, path);
  for (const path of places.messages ?? []) look(messages, path);
});

test("the message that contained event_error.input_params is not sent", async () => {
  const { webhooks } = (await app.inject({ url: "/openapi.json" })).json();
  expect(Object.keys(webhooks)).not.toContain("event.error");
  expect(messages.map(({ webhook_type }) => webhook_type)).not.toContain("event.error");
});

test("amounts of any size keep their digits, in answers and in messages", () => {
  const text = answers.find(({ path }) => path === `GET /invoices/${large.svc_id}`)?.on.text ?? "";
  for (const written of [text, textOfLarge()])
    for (const name of ["fees_amount_cents", "amount_cents", "sub_total_vat_excluded_amount_cents"])
      expect(written).toContain(`"${name}":${MUCH}`);
});

test("without the setting, an answer equals byte for byte the answer without deprecated members", () => {
  const queried = answers.filter(({ path, off }) => off !== undefined && path !== "GET /organizations");
  expect(queried.length).toBe(COMPARED.length - 1);
  for (const { path, on, off } of queried) {
    const body = parseExactJson(on.text);
    for (const { object, deprecated } of DEPRECATED_MEMBERS)
      for (const place of PLACES[object]?.answers ?? [])
        for (const found of at(body, place)) removeMember(found, deprecated);
    // An event is shown as it was sent, so parsing would change its bytes.
    expect(path === "GET /events" ? on.text : toExactJson(body), path).toBe(off?.text);
  }
});

function removeMember(object: Members, path: string): void {
  const names = path.split(".");
  const holder = names.length > 1 ? (object[names[0] ?? ""] as Members) : object;
  delete holder[names.at(-1) ?? ""];
}

test("without the setting, a message has no deprecated members", () => {
  const published = allMessages.slice(publishedSoFar);
  expect(published.length).toBeGreaterThan(2);
  for (const { object, deprecated } of DEPRECATED_MEMBERS)
    for (const place of PLACES[object]?.messages ?? [])
      for (const found of published.flatMap((message) => at(message, place)))
        expect(memberAt(found, deprecated), place).toBeUndefined();
});

it.each(sent.filter(({ row }) => row.take))("$name in a request means the same as its substitute", async ({ name }) => {
  const request = REQUESTS[name];
  if (!request) throw new Error(`no request is tried with ${name}`);
  const [method, path, body] = request.requested;
  expect(resultOf(await send(method, path, body("with")), request.shows)).toEqual(request.on);
  expect(ignored.get(name)).toEqual(request.off);
});

test("if a request has a member and its substitute, the substitute wins", async () => {
  const both = { expiration_date: "2098-01-01", expiration_at: "2099-01-01T00:00:00Z" };
  const { body } = await send("PUT", `/wallets/${wallet.svc_id}`, { wallet: both });
  expect(body.wallet).toMatchObject({ expiration_at: "2099-01-01T00:00:00Z", expiration_date: "2099-01-01" });
});

test("values from an answer can be sent back", async () => {
  const shown = (await send("GET", "/plans/plan")).body.plan;
  const charges = shown.charges.map(({ svc_id, filters: _, ...rest }: Members) => ({ ...rest, id: svc_id }));
  const { body, status, text } = await send("PUT", "/plans/plan", { plan: { ...shown, charges } });
  expect(status, text).toBe(200);
  expect(body.plan.charges).toEqual(shown.charges);
  const before = (await send("GET", "/taxes/vat")).body.tax.customers_count;
  const { customer } = (await send("GET", "/customers/acme")).body;
  await send("POST", "/customers", { customer });
  // A tax of the customer's own would count here.
  expect((await send("GET", "/taxes/vat")).body.tax.customers_count).toBe(before);
  const { filters: _, ...two } = (await send("GET", "/billable_metrics/calls")).body.billable_metric;
  expect((await send("PUT", "/billable_metrics/calls", { billable_metric: two })).body.billable_metric.group).toEqual(
    two.group,
  );
});

test("a subscription's own plan also accepts prices by group", async () => {
  const [{ svc_id: id }] = plan.charges;
  const plan_overrides = { charges: [{ id, group_properties: [{ ...inEurope, values: { amount: "0.5" } }] }] };
  const { body, text } = await send("POST", "/subscriptions", {
    subscription: { ...input, external_id: "own", plan_overrides },
  });
  expect(body.subscription?.plan.charges[0].filters[0]?.properties, text).toEqual({ amount: "0.5" });
});

const xPlan = (group_id: string) => ({
  plan: {
    ...terms,
    code: "x",
    pay_in_advance: false,
    charges: [{ ...charge, group_properties: [{ group_id, values: {} }] }],
  },
});
const xMetric = (group: unknown) => ({ billable_metric: { ...metric, code: "x", group } });
const xWallet = { wallet: { external_customer_id: "acme", rate_amount: "1", expiration_date: "soon" } };
const acmeWith = (rate: unknown) => ({ customer: { external_id: "acme", ...taxed(rate) } });

it.each([
  { what: "a rate that no tax has", body: acmeWith(5), status: 404, said: "tax_not_found" },
  { what: "an invalid rate", body: acmeWith([20]), status: 422, said: "vat_rate" },
  { what: "an invalid day", body: xWallet, status: 422, said: "expiration_at" },
  { what: "an invalid group", body: xMetric("region"), status: 422, said: "filters" },
  { what: "a group without values", body: xMetric({ key: "a", values: 1 }), status: 422, said: "values" },
  { what: "an id without a group", body: xPlan("019a8a0e-6f7c-7c3e-9a3d-2f6a4b1c5d60"), status: 422, said: "values" },
  { what: "a group named like a built-in property", body: xPlan("__proto__=a"), status: 422, said: "values" },
])("$what is refused", async ({ body, status, said }) => {
  const answer = await send("POST", `/${Object.keys(body)[0]}s`, body);
  expect(answer.status, answer.text).toBe(status);
  expect(answer.text).toContain(said);
});

test("an invalid body is refused as usual", async () => {
  expect(await refusals(again)).toMatchObject(refused);
  for (const [status] of refused) expect(status).toBeGreaterThanOrEqual(400);
});

test("the removed endpoint stays removed", async () => {
  expect((await send("GET", "/billable_metrics/storage/groups")).body.code).toBe("resource_not_found");
});

test("a rate of null removes the customer's own rate", async () => {
  await send("POST", "/customers", { customer: { external_id: "own rate", ...taxed("8.875") } });
  const { body } = await send("POST", "/customers", { customer: { external_id: "own rate", ...taxed(null) } });
  expect(body.customer).toMatchObject({ taxes: [{ code: "vat" }], ...taxed(20) });
});
