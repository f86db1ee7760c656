/** What the database itself refuses for invoices and fees, for any writer. */
import { type RawBuilder, sql } from "kysely";
import { expect, test } from "vitest";
import { startTallystick } from "../../testing/start-tallystick.ts";
import { subscribeCustomer } from "../../testing/subscribed-customer.ts";
import { newId } from "../new-id.ts";
import { inOrganization } from "./database.ts";

const { call, platform, organizations } = await startTallystick();
const organizationId = organizations[0]?.id ?? "";

const { customer, send, advanceTo } = await subscribeCustomer(call, {
  now: "2024-01-01T00:00:00Z",
  metrics: { calls: { aggregation_type: "count_agg" } },
  charges: [{ metric: "calls", properties: { amount: "2" } }],
  plan: { amount_cents: 3100 },
});
await send("calls", {});
await call("POST", "/taxes", { tax: { name: "VAT", code: "vat", rate: "20", applied_to_organization: true } });
await advanceTo("2024-02-01T00:00:00Z");
const [invoice] = (await call("GET", `/invoices?external_customer_id=${encodeURIComponent(customer)}`)).body.invoices;
const id: string = invoice.svc_id;

const attempt = (statement: RawBuilder<unknown>): Promise<string> =>
  inOrganization(platform.db, organizationId, (tx) => statement.execute(tx)).then(
    () => "done",
    (error: unknown) => String((error as Error).message),
  );
const ofIt = sql`organization_id = ${organizationId} and invoice_id = ${id}`;
const it = sql`organization_id = ${organizationId} and id = ${id}`;

test.each([
  [
    "its total",
    sql`update invoices set total_amount_cents = 1, fees_amount_cents = 1, taxes_amount_cents = 0 where ${it}`,
  ],
  ["its number", sql`update invoices set number = 'other' where ${it}`],
  ["its date", sql`update invoices set issuing_date = '2024-01-31' where ${it}`],
  ["what it was made from", sql`update invoices set made_from = '{}' where ${it}`],
])("a finalized invoice keeps %s", async (_, statement) => {
  expect(await attempt(statement)).toBe(`invoice ${id} is finalized and never changes`);
});

test.each([
  [
    "it goes back",
    sql`update invoices set status = 'draft', sequential_id = null, number = null, finalized_at = null where ${it}`,
    "does not become draft|check constraint",
  ],
  ["it is deleted", sql`delete from invoices where ${it}`, "violates foreign key|is never deleted"],
  [
    "a fee of it is deleted",
    sql`delete from fees where ${ofIt} and fee_type = 'subscription'`,
    "foreign key|is on a finalized invoice",
  ],
  ["a fee of it changes", sql`update fees set amount_cents = 1 where ${ofIt}`, "never changes"],
  ["a fee of it moves", sql`update fees set invoice_id = null where ${ofIt}`, "never changes|check constraint"],
  ["a tax of it is deleted", sql`delete from invoice_taxes where ${ofIt}`, "is finalized"],
  [
    "a tax of a fee changes",
    sql`update fee_taxes set amount_cents = 0 where organization_id = ${organizationId}`,
    "never changes",
  ],
  [
    "a tax of a fee is deleted",
    sql`delete from fee_taxes where organization_id = ${organizationId}`,
    "on a finalized invoice",
  ],
  ["its bill leaves it", sql`delete from invoice_bills where ${ofIt}`, "is finalized"],
])("refused: %s", async (_, statement, message) => {
  expect(await attempt(statement)).toMatch(new RegExp(message));
});

test.each([
  ["paid", sql`payment_status = 'succeeded', paid_amount_cents = total_amount_cents`],
  ["paid in part", sql`paid_amount_cents = 1`],
  ["written off", sql`written_off_amount_cents = 1`],
  ["voided", sql`status = 'voided', voided_at = now()`],
])("it is not %s without entries in the ledger", async (_, changes) => {
  const answer = await attempt(sql`update invoices set ${changes} where ${it}`);
  expect(answer).toBe(`the ledger does not agree with what is due of invoice ${id}`);
});

test.each([
  ["paid without a payment", sql`payment_status = 'succeeded'`],
  ["not paid although nothing is due", sql`paid_amount_cents = total_amount_cents`],
])("it is never called %s", async (_, changes) => {
  expect(await attempt(sql`update invoices set ${changes} where ${it}`)).toMatch("check constraint");
});

test("a failed payment, a lost dispute and a void can be recorded", async () => {
  const of = `/invoices/${id}`;
  expect((await call("PUT", of, { invoice: { payment_status: "failed" } })).status).toBe(200);
  expect((await call("POST", `${of}/void`)).status).toBe(200);
  expect((await call("POST", `${of}/lose_dispute`)).status).toBe(200);
});

const customerId = sql`(select customer_id from invoices where ${it})`;
const insert = (columns: RawBuilder<unknown>, values: RawBuilder<unknown>) =>
  attempt(sql`
    insert into invoices (organization_id, id, customer_id, invoice_type, status, occurred_at, payment_status, created_at,
      updated_at, ${columns})
    select ${organizationId}::uuid, ${newId()}::uuid, ${customerId}, 'subscription', 'generating', '2024-03-01Z', 'pending', now(),
      now(), ${values}`);

test("figures add up and none is below zero", async () => {
  expect(await insert(sql`fees_amount_cents`, sql`100`)).toMatch("check constraint");
  expect(await insert(sql`fees_amount_cents, total_amount_cents`, sql`100, 100`)).toBe("done");
  expect(await insert(sql`fees_amount_cents, total_amount_cents`, sql`-1, -1`)).toMatch("check constraint");
  expect(await insert(sql`coupons_amount_cents, taxes_amount_cents`, sql`5, 5`)).toMatch("check constraint");
});

test("an invoice key is unique, and a draft without its fees is refused", async () => {
  const key = newId();
  expect(await insert(sql`invoice_key`, sql`${key}::uuid`)).toBe("done");
  expect(await insert(sql`invoice_key`, sql`${key}::uuid`)).toMatch("invoices_occasion");
  const finished = sql`status = 'draft', currency = 'EUR', issuing_date = '2024-03-01', payment_due_date = '2024-03-01',
    net_payment_term = 0, time_zone = 'UTC', made_from = '{}', derivation = '{}'`;
  const ofKey = sql`organization_id = ${organizationId} and invoice_key = ${key}`;
  const amounts = sql`fees_amount_cents = 7, total_amount_cents = 7`;
  expect(await attempt(sql`update invoices set ${finished}, ${amounts} where ${ofKey}`)).toMatch("do not add up to 7");
  expect(await attempt(sql`update invoices set ${finished} where ${ofKey}`)).toBe("done");
});
