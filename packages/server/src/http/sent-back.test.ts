/** What was read can be sent back: it is accepted and changes nothing, not even the ids of what is inside. */
import { expect, it, test } from "vitest";
import { runOn } from "../platform/postgres/temporary-database.ts";
import {
  aCreditNote,
  aMetric,
  aPlan,
  aWallet,
  givenCustomer,
  givenInvoice,
  givenPaidInvoice,
  givenSubscription,
  givenWebhookEndpoint,
} from "../testing/sample-records.ts";
import { SAMPLES, toPath } from "../testing/sample-requests.ts";
import { startTallystick } from "../testing/start-tallystick.ts";

const { call, platform } = await startTallystick();

const read = async (path: string) => {
  const { status, body, text } = await call("GET", path);
  expect(status, text).toBe(200);
  return body;
};

/** Without what the change itself writes. */
const lasting = (answer: object): unknown =>
  JSON.parse(JSON.stringify(answer), (name, value) => (name === "updated_at" ? undefined : value));

async function sendBack(path: string, method: "POST" | "PUT" = "PUT", to = path): Promise<void> {
  const shown = await read(path);
  const { status, body, text } = await call(method, to, shown);
  expect([status, text], path).toEqual([200, expect.anything()]);
  expect(Object.keys(body)).toEqual(Object.keys(shown));
  expect(lasting(await read(path))).toEqual(lasting(shown));
}

const CHANGES = Object.keys(SAMPLES).filter((route) => route.startsWith("PUT ") && !SAMPLES[route]?.isAction);

test("there are changes to send back", () => {
  expect(CHANGES.length).toBeGreaterThan(10);
});

it.each(CHANGES)("%s takes the record as it was read", async (route) => {
  const sample = SAMPLES[route];
  const named = (await sample?.given?.(call, `back ${route.slice(5, 9)}`)) ?? {};
  await sendBack(toPath(route.slice(4), named));
});

test("a webhook endpoint with a URL that would be refused today takes it as it was read, and no other of its kind", async () => {
  const { svc_id = "" } = await givenWebhookEndpoint(call, "old");
  const path = `/webhook_endpoints/${svc_id}`;
  await runOn(
    platform.config.DATABASE_URL,
    `update webhook_endpoints set webhook_url = 'http://old.example/hook' where id = '${svc_id}'`,
  );
  await sendBack(path);
  const { status } = await call("PUT", path, { webhook_endpoint: { webhook_url: "http://old.example/other" } });
  expect(status).toBe(422);
});

test("POST /customers takes the customer as it was read", async () => {
  await givenCustomer(call, "upsert");
  await sendBack("/customers/customer%20upsert", "POST", "/customers");
});

test("a plan with subscriptions keeps its charges, filters and prices", async () => {
  await givenSubscription(call, "used");
  await sendBack("/plans/plan%20used");
  const { plan } = await read("/plans/plan%20used");
  const [charge] = plan.charges;
  const properties = { ...charge.properties, amount: "0.07" };
  const changed = await call("PUT", "/plans/plan%20used", { plan: { charges: [{ ...charge, properties }] } });
  expect(changed.body.plan.charges).toEqual([{ ...charge, properties }]);
});

test("a charge of another plan is a new charge", async () => {
  const { body: metric } = await call("POST", "/billable_metrics", aMetric("copied"));
  const metric_id = metric.billable_metric.svc_id;
  for (const mark of ["copied", "copy"]) await call("POST", "/plans", aPlan(mark, { metric_id }));
  const { plan } = await read("/plans/plan%20copied");
  const { body } = await call("PUT", "/plans/plan%20copy", { plan: { charges: plan.charges } });
  expect(body.plan.charges).toHaveLength(1);
  expect(body.plan.charges[0].svc_id).not.toBe(plan.charges[0].svc_id);
});

it.each([
  { trigger: "interval", interval: "monthly", method: "target", target_ongoing_balance: "100" },
  { trigger: "interval", interval: "weekly", started_at: "2026-01-05T10:30:00.25Z", granted_credits: "2" },
  { trigger: "threshold", threshold_credits: "1.5" },
])("a wallet keeps its rule %j, with the days it has done", async (rule) => {
  const mark = JSON.stringify(rule);
  await givenCustomer(call, mark);
  const { wallet } = aWallet(mark);
  const { body } = await call("POST", "/wallets", { wallet: { ...wallet, recurring_transaction_rules: [rule] } });
  await sendBack(`/wallets/${body.wallet.svc_id}`);
});

test("a fee on an invoice keeps its payment status", async () => {
  const { fee_id } = await givenInvoice(call, "fee");
  await sendBack(`/fees/${fee_id}`);
});

test("a credit note without a refund keeps having no refund status; one with a refund cannot lose it", async () => {
  const named = await givenPaidInvoice(call, "note");
  const { credit_note } = aCreditNote("note", named);
  const half = { ...credit_note, refund_amount_cents: 0, items: [{ fee_id: named.fee_id, amount_cents: 400 }] };
  const { body } = await call("POST", "/credit_notes", { credit_note: half });
  expect(body.credit_note.refund_status).toBeNull();
  await sendBack(`/credit_notes/${body.credit_note.svc_id}`);
  const rest = { ...half, credit_amount_cents: 0, refund_amount_cents: 433 };
  const other = await call("POST", "/credit_notes", {
    credit_note: { ...rest, items: [{ fee_id: named.fee_id, amount_cents: 433 }] },
  });
  const path = `/credit_notes/${other.body.credit_note.svc_id}`;
  const refused = await call("PUT", path, { credit_note: { refund_status: null } });
  expect([refused.status, refused.body.error_details]).toEqual([422, { refund_status: ["value_is_mandatory"] }]);
  expect((await read(path)).credit_note.refund_status).toBe("pending");
});
