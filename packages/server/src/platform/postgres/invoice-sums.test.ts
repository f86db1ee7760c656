/** The sums of invoices by state follow every change of invoices, in every snapshot, and no writer waits for another. */
import pg from "pg";
import { afterAll, expect, test } from "vitest";
import { anInvoice, givenCustomerAndAddOn } from "../../testing/sample-records.ts";
import { startTallystick } from "../../testing/start-tallystick.ts";
import { verify } from "../../verify/index.ts";
import { runOn } from "./temporary-database.ts";

const { platform, call, organizations } = await startTallystick();
const [{ id: organizationId } = { id: "" }] = organizations;
const url = platform.config.DATABASE_URL;
await givenCustomerAndAddOn(call, "sums");

const INVOICES = 40;
const ids: string[] = [];
for (let number = 0; number < INVOICES; number++) {
  const { status, body, text } = await call("POST", "/invoices", anInvoice("sums"));
  expect(status, text).toBe(200);
  ids.push(body.invoice.svc_id);
}

const expectExact = async () =>
  expect(await verify(url, { only: ["invoice-sums-add-up"], now: platform.clock.now() })).toMatchObject([
    { name: "invoice-sums-add-up", broken: 0 },
  ]);
const rowsOf = async () =>
  (await runOn<{ rows: number }>(url, "select count(*)::integer as rows from invoice_sums"))[0]?.rows ?? 0;
const pay = (id: string | undefined, payment_status: string) =>
  call("PUT", `/invoices/${id}`, { invoice: { payment_status } });

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  afterAll(() => client.end());
  // A change that waits for the other fails instead.
  await client.query("set lock_timeout = '2s'");
  await client.query("set role tallystick_app");
  return client;
}
const begin = (client: pg.Client) =>
  client.query(`begin; select set_config('app.organization_id', '${organizationId}', true)`);

test("invoices that change at the same time are counted once each, and changes that failed not at all", async () => {
  await Promise.all(ids.slice(0, 20).map((id, index) => pay(id, index % 2 ? "succeeded" : "failed")));
  await Promise.all(ids.slice(0, 4).map((id) => call("POST", `/invoices/${id}/void`)));
  await Promise.all(ids.slice(20, 24).map((id) => call("POST", `/invoices/${id}/lose_dispute`)));
  expect((await pay(ids[0], "nonsense")).status).toBe(422);
  await expectExact();
  const { body } = await call("GET", "/invoices/summary");
  expect(body.invoice_summary.all.count).toBe(INVOICES);
});

test("many changes leave few rows", async () => {
  const changes =
    "update invoices set payment_overdue = not payment_overdue where payment_status = 'pending' and status = 'finalized'";
  const client = await connect();
  for (let change = 0; change < 150; change++) {
    await begin(client);
    await client.query(`${changes} and payment_dispute_lost_at is null`);
    await client.query("commit");
  }
  // Each change adds two rows, and each hundredth row folds them.
  expect(await rowsOf()).toBeLessThan(200);
  await expectExact();
});

test("transactions that change invoices of the same state do not wait for each other, and neither does one that folds", async () => {
  const [one, other] = [await connect(), await connect()];
  const [first, second] = ids.slice(-2);
  const touch = (client: pg.Client, id = "") =>
    client.query("update invoices set updated_at = updated_at + interval '1 second' where id = $1", [id]);
  await begin(one);
  await touch(one, first);
  await one.query("select fold_invoice_sums($1)", [organizationId]);
  await begin(other);
  await touch(other, second);
  await other.query("select fold_invoice_sums($1)", [organizationId]);
  await other.query("commit");
  await expectExact();
  await one.query("rollback");
  await expectExact();
  await begin(one);
  await one.query("select fold_invoice_sums($1)", [organizationId]);
  await one.query("commit");
  await expectExact();
});
