import { expect, test } from "vitest";
import { inOrganization } from "../../../platform/postgres/database.ts";
import { makeTestOrganization, startTallystick } from "../../../testing/start-tallystick.ts";
import { beginMaking, noteProgress } from "./store.ts";
import { createChance } from "./usage.ts";

const NOW = Temporal.Instant.from("2026-11-19T10:00:00Z");
let now = NOW;
const service = await startTallystick({ clock: { now: () => now } });
const { call, drain, platform, organizations } = service;
const [own, other] = organizations;

const show = async (key = own?.key) =>
  (await call("GET", "/sample_data", undefined, { key: key ?? "" })).body.sample_data;

type Invoice = {
  status: string;
  payment_status: string;
  payment_overdue: boolean;
  total_amount_cents: number;
  issuing_date: string;
};
const invoicesOf = async (key = own?.key): Promise<Invoice[]> =>
  (await call("GET", "/invoices?per_page=500", undefined, { key: key ?? "" })).body.invoices;
const amountsOf = async (key?: string) =>
  (await invoicesOf(key)).map((one) => one.total_amount_cents).toSorted((a, b) => a - b);
const countOf = (invoices: readonly Invoice[], members: Partial<Invoice>) =>
  invoices.filter((one) => Object.entries(members).every(([name, value]) => one[name as keyof Invoice] === value))
    .length;

async function makeAt(instant: string, key: string): Promise<number[]> {
  now = Temporal.Instant.from(instant);
  await call("POST", "/sample_data", undefined, { key });
  await drain();
  expect(await show(key)).toMatchObject({ status: "ready", error: null });
  return amountsOf(key);
}

test("without sample data, none is shown and none is removed", async () => {
  expect(await show()).toMatchObject({ status: "none", progress: 0, customers: 0, invoices: 0, started_at: null });
  expect(await call("DELETE", "/sample_data")).toMatchObject({
    status: 200,
    body: { sample_data: { status: "none" } },
  });
});

test("sample data is a company with customers, prices, and invoices of every kind", { timeout: 180_000 }, async () => {
  const requested = await call("POST", "/sample_data");
  expect(requested).toMatchObject({ status: 200, body: { sample_data: { status: "making", progress: 0 } } });
  expect((await call("POST", "/sample_data")).body).toEqual(requested.body);
  await drain();
  const shown = await show();
  expect(shown).toMatchObject({ status: "ready", progress: 100, customers: 12, error: null });
  expect(await call("POST", "/sample_data")).toMatchObject({ status: 200, body: { sample_data: shown } });

  const invoices = await invoicesOf();
  expect(invoices).toHaveLength(shown.invoices);
  expect(countOf(invoices, { payment_status: "succeeded" })).toBeGreaterThan(40);
  expect(countOf(invoices, { payment_status: "failed" })).toBeGreaterThan(0);
  expect(countOf(invoices, { payment_status: "pending", status: "finalized" })).toBeGreaterThan(5);
  expect(countOf(invoices, { payment_overdue: true })).toBeGreaterThan(1);
  expect(countOf(invoices, { status: "draft" })).toBe(1);
  expect(countOf(invoices, { status: "voided" })).toBe(1);
  for (const path of ["plans", "billable_metrics", "customers", "wallets", "credit_notes", "coupons", "add_ons"])
    expect((await call("GET", `/${path}`)).body.meta.total_count, path).toBeGreaterThan(0);
  const usage = await call(
    "GET",
    "/customers/sample_tessera/current_usage?external_subscription_id=sample_tessera_main",
  );
  expect(Number(usage.body.customer_usage.total_amount_cents)).toBeGreaterThan(0);
  const { body } = await call("GET", "/parked_items");
  expect(body.parked_items).toEqual([]);
});

test("what is made is in the trail, in the name of the key that requested it", async () => {
  const { body } = await call("GET", "/activities?operation=createPlan");
  const keyId = own?.key.slice(4, 12);
  expect(body.activities).toHaveLength(3);
  expect(JSON.stringify(body.activities[0])).toContain(keyId);
});

test("the amounts are the same each time, on any day, and after a removal", { timeout: 300_000 }, async () => {
  const amounts = await amountsOf();
  expect(await makeAt("2027-03-18T23:00:00Z", other?.key ?? "")).toEqual(amounts);

  const finalized = countOf(await invoicesOf(other?.key), { status: "finalized" });
  const removed = await call("DELETE", "/sample_data", undefined, { key: other?.key ?? "" });
  expect(removed).toMatchObject({ status: 200, body: { sample_data: { status: "removing" } } });
  await drain();
  expect(await show(other?.key)).toMatchObject({ status: "none", customers: 0, invoices: 0, error: null });
  for (const path of ["plans", "billable_metrics", "customers", "coupons", "add_ons", "taxes", "test_clocks"])
    expect((await call("GET", `/${path}`, undefined, { key: other?.key ?? "" })).body.meta.total_count, path).toBe(0);
  expect(countOf(await invoicesOf(other?.key), { status: "finalized" })).toBeGreaterThanOrEqual(finalized);

  const before = await amountsOf(other?.key);
  const after = await makeAt("2027-03-19T10:00:00Z", other?.key ?? "");
  const left = [...after];
  for (const amount of before) left.splice(left.indexOf(amount), 1);
  expect(left).toEqual(amounts);
});

test("what is in the way is said, and it can be requested again", { timeout: 180_000 }, async () => {
  const third = await makeTestOrganization(platform, "Third");
  const { key } = third;
  const customer = { external_id: "sample_sato", currency: "USD" };
  await call("POST", "/customers", { customer }, { key });
  await call("POST", "/taxes", { tax: { code: "sample_vat", name: "Mine", rate: "1" } }, { key });
  await call("POST", "/sample_data", undefined, { key });
  await drain();
  const failed = await show(key);
  expect(failed).toMatchObject({ status: "failed" });
  expect(failed.error).toContain("The customer sample_sato exists already.");
  expect((await call("GET", "/customers/sample_sato", undefined, { key })).body.customer.currency).toBe("USD");
  await call("DELETE", "/sample_data", undefined, { key });
  await drain();
  expect(await show(key)).toMatchObject({ status: "none" });
  expect((await call("GET", "/taxes/sample_vat", undefined, { key })).status).toBe(200);
  expect((await call("POST", "/sample_data", undefined, { key })).status).toBe(200);
  expect(await show(key)).toMatchObject({ status: "making", error: null });
});

test("a run that waits for its clock learns whether another was requested meanwhile", async () => {
  const { id, key } = await makeTestOrganization(platform, "Waiting");
  await call("POST", "/sample_data", undefined, { key });
  const run = await inOrganization(platform.db, id, (tx) => beginMaking(tx, id));
  if (!run) throw new Error("nothing was requested");
  const isLatest = () => inOrganization(platform.db, id, (tx) => noteProgress(tx, id, run, {}));
  expect(await isLatest()).toBe(true);
  await call("DELETE", "/sample_data", undefined, { key });
  expect(await isLatest()).toBe(false);
});

test("a live organization takes no sample data", async () => {
  const { key } = await makeTestOrganization(platform, "Live", { isSandbox: false });
  for (const method of ["POST", "DELETE"] as const)
    expect(await call(method, "/sample_data", undefined, { key })).toMatchObject({
      status: 403,
      body: { code: "sample_data_needs_a_sandbox" },
    });
  expect((await show(key)).status).toBe("none");
});

test("chance is the same each time", () => {
  const [one, again] = [createChance(), createChance()];
  expect([one(), one(), one()]).toEqual([again(), again(), again()]);
});
