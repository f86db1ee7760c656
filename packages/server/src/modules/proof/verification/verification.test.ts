import { expect, test } from "vitest";
import { readVersion } from "../../../platform/assets.ts";
import { runOn } from "../../../platform/postgres/temporary-database.ts";
import { type Answer, startTallystick } from "../../../testing/start-tallystick.ts";
import {
  type SubscribedCustomer,
  type SubscriptionRequest,
  subscribeCustomer,
} from "../../../testing/subscribed-customer.ts";
import { type Position, type Verification, verifyInvoices } from "./index.ts";

const { call, platform, organizations } = await startTallystick();
const url = platform.config.DATABASE_URL;
const [mine, other] = organizations;

const must = async (answer: Promise<Answer>): Promise<Answer["body"]> => {
  const { status, body, text } = await answer;
  expect(status, text).toBe(200);
  return body;
};

const REQUEST: SubscriptionRequest = {
  now: "2024-01-01T00:00:00Z",
  metrics: {
    calls: { aggregation_type: "count_agg" },
    data: {
      aggregation_type: "sum_agg",
      field_name: "gb",
      filters: [{ key: "region", values: ["eu", "us"] }],
    },
  },
  charges: [
    { metric: "calls", charge_model: "package", properties: { amount: "1", free_units: 0, package_size: 3 } },
    {
      metric: "data",
      properties: { amount: "2.5" },
      filters: [{ values: { region: ["eu"] }, properties: { amount: "3.335" } }],
    },
  ],
  plan: { amount_cents: 3100 },
};

/** Creates a month of usage and its invoice, before any tampering. */
async function invoiced(request: Partial<SubscriptionRequest> = {}): Promise<SubscribedCustomer & { id: string }> {
  const subscribed = await subscribeCustomer(call, { ...REQUEST, ...request });
  await subscribed.send("calls", {}, {}, {}, {});
  await subscribed.send("data", { gb: "1.5", region: "eu" }, { gb: 4, region: "us" }, { gb: 2, region: "eu" });
  await subscribed.advanceTo("2024-02-01T00:00:00Z");
  const path = `/invoices?external_customer_id=${encodeURIComponent(subscribed.customer)}`;
  const { invoices } = await must(call("GET", path));
  expect(invoices).toHaveLength(1);
  return { ...subscribed, id: invoices[0].svc_id };
}

const verify = async (id: string) => (await must(call("GET", `/invoices/${id}/verification`))).verification;

/** Writes to the database with triggers and permissions bypassed. */
const tamper = (statement: string) =>
  runOn(url, `set session_replication_role = replica; ${statement}; reset session_replication_role`);

const causesOf = async (id: string) => {
  const { status, causes } = await verify(id);
  return { status, causes: causes.map(({ cause }: { cause: string }) => cause) };
};

test("an invoice with unchanged inputs verifies, with and without late events", async () => {
  const { id, send } = await invoiced();
  await send("calls", { timestamp: "2024-01-20T00:00:00Z" });
  const verification = await verify(id);
  expect(verification).toEqual({
    svc_invoice_id: id,
    number: expect.stringMatching(/-001$/),
    status: "same",
    made_with: { engine_version: readVersion(), zone_data_version: process.versions.tz },
    recomputed_with: { engine_version: readVersion(), zone_data_version: process.versions.tz },
    differences: [],
    causes: [],
  });
});

test("a changed event is named with its effect", async () => {
  const { id, mark } = await invoiced();
  await tamper(`update events set properties = '{"gb": "9.5", "region": "eu"}' where transaction_id = '${mark} 5'`);
  const { status, differences, causes } = await verify(id);
  expect(status).toBe("different");
  expect(causes).toEqual([
    { cause: "event_changed", message: expect.stringContaining("3.5 units"), transaction_ids: [`${mark} 5`] },
  ]);
  expect(differences).toContainEqual({ member: "fees_amount_cents", stored: "5467", recomputed: "8135" });
});

test("an event that moved to another filter is reported as changed, though both filters count differently", async () => {
  const { id, mark } = await invoiced();
  await tamper(`update events set properties = '{"gb": 4, "region": "eu"}' where transaction_id = '${mark} 6'`);
  const { causes } = await verify(id);
  expect(causes).toContainEqual({
    cause: "event_changed",
    message: expect.any(String),
    transaction_ids: [`${mark} 6`],
  });
});

test("an event that was inserted into the snapshot is named", async () => {
  const { id, mark } = await invoiced();
  await tamper(
    `insert into events (organization_id, id, "timestamp", received_at, position, shard, digest, external_subscription_id,
       transaction_id, code, properties)
     select organization_id, gen_random_uuid(), "timestamp", received_at, -position, shard, 5, external_subscription_id,
       'smuggled ${mark}', code, properties from events where transaction_id = '${mark} 5'`,
  );
  const { status, causes } = await verify(id);
  expect(status).toBe("different");
  expect(causes).toMatchObject([{ cause: "event_added", transaction_ids: [`smuggled ${mark}`] }]);
});

test("a deleted event is named", async () => {
  const { id, mark } = await invoiced();
  await tamper(`delete from events where transaction_id = '${mark} 3'`);
  const { status, causes } = await verify(id);
  expect(status).toBe("different");
  expect(causes).toMatchObject([{ cause: "event_missing", transaction_ids: [`${mark} 3`] }]);
});

test("an event that replaced another is named, and so is the replaced event", async () => {
  const { id, mark } = await invoiced();
  await tamper(`update events set transaction_id = 'instead ${mark}', digest = 5 where transaction_id = '${mark} 3'`);
  await tamper(`update events set id = gen_random_uuid() where transaction_id = 'instead ${mark}'`);
  const { causes } = await verify(id);
  expect(causes).toMatchObject([
    { cause: "event_changed", transaction_ids: [] },
    { cause: "event_added", transaction_ids: [`instead ${mark}`] },
    { cause: "event_missing", transaction_ids: [`${mark} 3`] },
  ]);
});

test.each([
  ["no quantities", "made_from #- '{bills,0,inArrears}'"],
  ["a snapshot that is not a number", `jsonb_set(made_from, '{cut}', '["x"]')`],
  ["a plan id that is not an id", `jsonb_set(made_from, '{bills,0,planId}', '"x"')`],
  ["a bill id that is not an id", `jsonb_set(made_from, '{bills,0,billId}', '"x"')`],
  ["a tax without a rate", `jsonb_set(made_from, '{taxes,customer}', '[{"code": "vat", "rate": "x"}]')`],
])("unreadable inputs are reported as a difference: %s", async (_, madeFrom) => {
  const { id } = await invoiced();
  await tamper(`update invoices set made_from = ${madeFrom} where id = '${id}'`);
  expect(await causesOf(id)).toEqual({ status: "different", causes: ["inputs_changed"] });
});

test("an overwritten amount or rate is not reported as an input change", async () => {
  const { id } = await invoiced();
  await tamper(
    `update fees set amount_cents = amount_cents - 100 where invoice_id = '${id}' and fee_type = 'subscription'`,
  );
  const { causes, differences } = await verify(id);
  expect(causes).toMatchObject([{ cause: "result_changed" }]);
  expect(differences).toEqual([
    { member: expect.stringMatching(/^fees\..* subscription\.amount_cents$/), stored: "3000", recomputed: "3100" },
  ]);
});

test("an overwritten tax rate is found in the stored tax and in the inputs", async () => {
  const { tax } = await must(call("POST", "/taxes", { tax: { name: "VAT", code: "vat verified", rate: "20" } }));
  const [shown, used] = [
    await invoiced({ customer: { tax_codes: [tax.code] } }),
    await invoiced({ customer: { tax_codes: [tax.code] } }),
  ];
  expect(await causesOf(shown.id)).toEqual({ status: "same", causes: [] });
  await tamper(`update invoice_taxes set tax_rate = 10 where invoice_id = '${shown.id}'`);
  expect(await causesOf(shown.id)).toEqual({ status: "different", causes: ["result_changed"] });
  await tamper(
    `update invoices set made_from = jsonb_set(made_from, '{taxes,customer,0,rate}', '"10"') where id = '${used.id}'`,
  );
  expect(await causesOf(used.id)).toEqual({ status: "different", causes: ["inputs_changed"] });
});

test("another plan version is named, and so is a missing version", async () => {
  const { id, mark } = await invoiced();
  const { plan } = await must(call("GET", `/plans/${encodeURIComponent(`plan ${mark}`)}`));
  await must(call("PUT", `/plans/${encodeURIComponent(plan.code)}`, { plan: { amount_cents: 4000 } }));
  expect(await causesOf(id)).toEqual({ status: "same", causes: [] });
  await tamper(`update invoices set made_from = jsonb_set(made_from, '{bills,0,planVersion}', '2') where id = '${id}'`);
  const { causes } = await verify(id);
  expect(causes).toMatchObject([{ cause: "plan_version", message: expect.stringContaining("in version 1 gives") }]);
  await tamper(`update invoices set made_from = jsonb_set(made_from, '{bills,0,planVersion}', '7') where id = '${id}'`);
  expect((await causesOf(id)).causes).toEqual(["plan_version"]);
});

test("changed plan terms and another engine have different causes", async () => {
  const { id, mark } = await invoiced();
  await tamper(
    `update plan_versions set terms = jsonb_set(terms, '{amount_cents}', '5000') where plan_id in (
       select id from plans where code = 'plan ${mark}')`,
  );
  expect((await causesOf(id)).causes).toEqual(["inputs_changed"]);
  await tamper(`update invoices set made_from = made_from || '{"zoneDataVersion": "2019a"}' where id = '${id}'`);
  expect((await causesOf(id)).causes).toEqual(["zone_data"]);
  await tamper(`update invoices set made_from = made_from || '{"engineVersion": "9.9.9"}' where id = '${id}'`);
  expect((await causesOf(id)).causes).toEqual(["zone_data", "engine"]);
});

test("a number that no counter issued and a wrong date are differences", async () => {
  const { id } = await invoiced();
  await tamper(`update invoices set number = 'X-001-009', issuing_date = issuing_date - 1 where id = '${id}'`);
  const { differences } = await verify(id);
  expect(differences.map(({ member }: { member: string }) => member)).toEqual(["issuing_date", "number"]);
});

test("advance, regrouped, prepaid and one-off invoices are recomputed too", async () => {
  const { customer, send, mark, advanceTo, subscription } = await subscribeCustomer(call, {
    ...REQUEST,
    metrics: {
      calls: { aggregation_type: "count_agg" },
      seats: { aggregation_type: "unique_count_agg", field_name: "seat" },
    },
    charges: [
      { metric: "calls", charge_model: "graduated", pay_in_advance: true, properties: { graduated_ranges: GRADES } },
      {
        metric: "seats",
        pay_in_advance: true,
        invoiceable: false,
        regroup_paid_fees: "invoice",
        properties: { amount: "7" },
      },
    ],
  });
  await send("calls", {}, {});
  await send("seats", { seat: "a" }, { seat: "a" });
  await must(
    call("POST", "/add_ons", {
      add_on: { name: "Setup", code: `setup ${mark}`, amount_cents: 999, amount_currency: "EUR" },
    }),
  );
  const fees = [{ add_on_code: `setup ${mark}`, units: "1.5" }];
  await must(call("POST", "/invoices", { invoice: { external_customer_id: customer, currency: "EUR", fees } }));
  const wallet = { external_customer_id: customer, rate_amount: "0.5", currency: "EUR", paid_credits: "7.5" };
  await must(call("POST", "/wallets", { wallet }));
  await advanceTo("2024-01-10T00:00:00Z");
  const path = `/fees?external_subscription_id=${encodeURIComponent(subscription)}&payment_status=pending`;
  for (const { svc_id, item } of (await must(call("GET", path))).fees)
    if (item.code === `seats ${mark}`)
      await must(call("PUT", `/fees/${svc_id}`, { fee: { payment_status: "succeeded" } }));
  await advanceTo("2024-02-01T00:00:00Z");
  const { invoices } = await must(call("GET", `/invoices?external_customer_id=${encodeURIComponent(customer)}`));
  const types = invoices.map(({ invoice_type }: { invoice_type: string }) => invoice_type).sort();
  expect(types).toEqual(["advance_charges", "credit", "one_off", "subscription", "subscription", "subscription"]);
  for (const { svc_id, invoice_type } of invoices)
    expect([invoice_type, (await verify(svc_id)).differences]).toEqual([invoice_type, []]);
  const event = await runOn<{ id: string }>(url, `select id from fees where event_transaction_id = '${mark} 2'`);
  expect(event).toHaveLength(1);
  await tamper(`update events set properties = '{"seat": "b"}' where transaction_id = '${mark} 2'`);
  await tamper(`update fees set amount_cents = amount_cents + 1 where event_transaction_id = '${mark} 2'`);
  const [{ invoice_id: billed } = { invoice_id: "" }] = await runOn<{ invoice_id: string }>(
    url,
    `select invoice_id from fees where event_transaction_id = '${mark} 2'`,
  );
  expect((await causesOf(billed)).causes).toEqual(["event_changed"]);
});

const GRADES = [
  { from_value: 0, to_value: 1, per_unit_amount: "1", flat_amount: "0" },
  { from_value: 2, to_value: null, per_unit_amount: "0.335", flat_amount: "1" },
];

test("a draft is not verified, and other organizations cannot verify an invoice", async () => {
  const { id } = await invoiced({ customer: { billing_configuration: { invoice_grace_period: 3 } } });
  const draft = await call("GET", `/invoices/${id}/verification`);
  expect(draft).toMatchObject({ status: 405, body: { code: "invoice_not_final" } });
  const foreign = await call("GET", `/invoices/${id}/verification`, undefined, { key: other?.key ?? "" });
  expect(foreign).toMatchObject({ status: 404, body: { code: "invoice_not_found" } });
});

test("a resumed run recomputes each invoice after its position exactly once", async () => {
  for (let count = 0; count < 3; count++) await invoiced();
  const walk = async (after: Position | null) => {
    const seen: string[] = [];
    const positions: Position[] = [];
    await verifyInvoices(platform, {
      organizationIds: organizations.map(({ id }) => id),
      after,
      concurrency: 2,
      onVerified: (_, { invoiceId }: Verification) => seen.push(invoiceId),
      onPosition: (position) => positions.push(position),
    });
    return { seen: seen.toSorted(), last: positions.at(-1) };
  };
  const whole = await walk(null);
  expect(whole.seen.length).toBeGreaterThan(10);
  const middle = whole.seen.at(4) ?? "";
  const rest = await walk({ organizationId: mine?.id ?? "", invoiceId: middle });
  expect(rest.seen).toEqual(whole.seen.slice(5));
  expect(await walk(whole.last ?? null)).toMatchObject({ seen: [] });
});
