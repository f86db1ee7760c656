import { expect, test } from "vitest";
import { newId } from "../../../platform/new-id.ts";
import { startTallystick } from "../../../testing/start-tallystick.ts";
import { listWaiting, setPaused } from "./pause-billing.ts";

let now = Temporal.Instant.from("2026-01-10T12:00:00Z");
const { call, drain, platform, organizations } = await startTallystick({ clock: { now: () => now } });
const other = { key: organizations[1]?.key ?? "" };
const organizationId = organizations[0]?.id ?? "";

const makePlan = (options: object) => {
  const terms = { name: "Plan", code: "plan", interval: "monthly", amount_cents: 1000, amount_currency: "EUR" };
  return call("POST", "/plans", { plan: { ...terms, pay_in_advance: false } }, options);
};
await makePlan({});
await makePlan(other);

async function subscribe(graceDays: number, options: object = {}): Promise<string> {
  const external_id = newId();
  const billing_configuration = { invoice_grace_period: graceDays };
  await call("POST", "/customers", { customer: { external_id, billing_configuration } }, options);
  const subscription = { external_customer_id: external_id, external_id, plan_code: "plan" };
  expect((await call("POST", "/subscriptions", { subscription }, options)).status).toBe(200);
  return external_id;
}
const invoicesOf = async (customer: string, options: object = {}) =>
  (await call("GET", `/invoices?external_customer_id=${customer}`, undefined, options)).body.invoices;
const waiting = async () =>
  (await listWaiting(platform, organizationId, 100)).map(
    ({ externalCustomerId, waitsFor, dueAt }) => `${externalCustomerId} ${waitsFor} ${dueAt}`,
  );
async function moveTo(instant: string): Promise<void> {
  now = Temporal.Instant.from(instant);
  await drain();
}

test("while billing is paused, the organization's invoices wait and are listed; then each is created once, as of its instant", async () => {
  const final = await subscribe(0);
  const drafted = await subscribe(3);
  const elsewhere = await subscribe(0, other);
  await moveTo("2026-02-01T12:00:00Z");
  expect(await invoicesOf(drafted)).toMatchObject([{ status: "draft" }]);

  await setPaused(platform, organizationId, now);
  await moveTo("2026-03-01T12:00:00Z");
  expect(await invoicesOf(elsewhere, other)).toHaveLength(2);
  expect(await invoicesOf(final)).toHaveLength(1);
  expect(await invoicesOf(drafted)).toMatchObject([{ status: "draft" }]);
  const [first, ...others] = await waiting();
  expect(first).toBe(`${drafted} finalization 2026-02-04T00:00:00Z`);
  expect(new Set(others)).toEqual(
    new Set([`${final} making 2026-03-01T00:00:00Z`, `${drafted} making 2026-03-01T00:00:00Z`]),
  );
  // Subscriptions continue meanwhile.
  const { subscription } = (await call("GET", `/subscriptions/${final}`)).body;
  expect(subscription.current_billing_period_started_at).toBe("2026-03-01T00:00:00Z");

  await moveTo("2026-03-02T12:00:00Z");
  expect(await setPaused(platform, organizationId, null)).toBe(3n);
  await drain();
  expect(await waiting()).toEqual([]);
  expect(await invoicesOf(final)).toMatchObject([
    { status: "finalized", issuing_date: "2026-03-01", fees_amount_cents: 1000 },
    { status: "finalized", issuing_date: "2026-02-01" },
  ]);
  expect(await invoicesOf(drafted)).toMatchObject([
    { status: "draft", issuing_date: "2026-03-04" },
    { status: "finalized", issuing_date: "2026-02-04" },
  ]);
  expect(await setPaused(platform, organizationId, null)).toBe(0n);
});

test("explicit requests are processed although billing is paused", async () => {
  const drafted = await subscribe(3);
  await moveTo("2026-04-01T12:00:00Z");
  await setPaused(platform, organizationId, now);
  const [{ svc_id }] = await invoicesOf(drafted);
  expect((await call("PUT", `/invoices/${svc_id}/finalize`)).body.invoice).toMatchObject({ status: "finalized" });
  await setPaused(platform, organizationId, null);
});
