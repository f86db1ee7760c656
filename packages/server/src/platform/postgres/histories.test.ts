/** Definitions and states as they were: each change leaves a row, whatever code makes it, and no row changes. */
import { describe, expect, test } from "vitest";
import { startTallystick } from "../../testing/start-tallystick.ts";
import { verify } from "../../verify/index.ts";
import { runOn } from "./temporary-database.ts";

let now = Temporal.Instant.from("2026-03-01T12:00:00Z");
const { platform, call, drain, organizations } = await startTallystick({ clock: { now: () => now } });
const [{ id: organizationId } = { id: "" }] = organizations;
const url = platform.config.DATABASE_URL;

const IN_UTC = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;

type Version = { version: number; body: Record<string, unknown>; created_at: string };
const versionsOf = (id: string) =>
  runOn<Version>(
    url,
    `select version, body, ${IN_UTC("created_at")} as created_at from definition_versions where definition_id = $1 order by version`,
    [id],
  );
type Change = { kind: string; before: string | null; after: string | null; at: string };
const changesOf = (id: string) =>
  runOn<Change>(
    url,
    `select kind, before, after, ${IN_UTC("at")} as at from state_changes where subject_id = $1 order by id`,
    [id],
  );
const states = async (id: string) => (await changesOf(id)).map(({ kind, before, after }) => [kind, before, after]);

const must = async (method: "POST" | "PUT" | "DELETE", path: string, body?: object) => {
  const { status, text, body: answer } = await call(method, path, body);
  expect(status, text).toBe(200);
  return answer;
};
const expectKept = async () => {
  const only = ["definitions-are-recorded", "states-are-recorded"];
  expect((await verify(url, { only, now })).map(({ broken }) => broken)).toEqual([0, 0]);
};

let marks = 0;
const mark = () => `mark ${marks++}`;
const aMetric = async () =>
  (
    await must("POST", "/billable_metrics", {
      billable_metric: { name: "M", code: mark(), aggregation_type: "count_agg" },
    })
  ).billable_metric;

describe("definitions", () => {
  test("have a version for each transaction that changes them, and none for one that does not", async () => {
    const metric = await aMetric();
    now = now.add({ minutes: 1 });
    const path = `/billable_metrics/${encodeURIComponent(metric.code)}`;
    const filters = [{ key: "region", values: ["eu"] }];
    for (let count = 0; count < 2; count++) await must("PUT", path, { billable_metric: { name: "Other", filters } });
    await must("DELETE", path);
    const versions = await versionsOf(metric.svc_id);
    expect(versions.map(({ version, body: { name, deleted_at } }) => [version, name, deleted_at !== null])).toEqual([
      [1, "M", false],
      [2, "Other", false],
      [3, "Other", true],
    ]);
    expect(versions[1]?.body).toMatchObject({ code: metric.code, aggregation_type: "count_agg", filters });
    expect(versions[1]?.created_at).toEqual("2026-03-01T12:01:00Z");
    await expectKept();
  });

  test("hold what their other tables say: the taxes of an add-on, the plans of a coupon", async () => {
    const code = mark();
    await must("POST", "/taxes", { tax: { name: "T", code, rate: "20" } });
    const add_on = { name: "A", code, amount_cents: 100, amount_currency: "EUR", tax_codes: [code] };
    const { svc_id: addOn } = (await must("POST", "/add_ons", { add_on })).add_on;
    await must("PUT", `/add_ons/${encodeURIComponent(code)}`, { add_on: { tax_codes: [] } });
    expect((await versionsOf(addOn)).map(({ body }) => (body.tax_ids as string[]).length)).toEqual([1, 0]);

    const plan = {
      name: "P",
      code,
      interval: "monthly",
      amount_cents: 0,
      amount_currency: "EUR",
      pay_in_advance: false,
    };
    const { svc_id: planId } = (await must("POST", "/plans", { plan })).plan;
    const coupon = {
      ...{
        name: "C",
        code,
        coupon_type: "percentage",
        percentage_rate: "10",
        frequency: "once",
        expiration: "no_expiration",
      },
      applies_to: { plan_codes: [code] },
    };
    const { svc_id } = (await must("POST", "/coupons", { coupon })).coupon;
    expect((await versionsOf(svc_id)).map(({ body }) => body.plan_ids)).toEqual([[planId]]);
    await expectKept();
  });

  test("of settings begin with the organization, and name no secret", async () => {
    await must("PUT", "/organizations", { organization: { legal_name: "Legal" } });
    const versions = await versionsOf(organizationId);
    expect(versions.map(({ body }) => body.legal_name)).toEqual([null, "Legal"]);
    expect(Object.keys(versions[1]?.body ?? {})).not.toContain("webhook_url");
  });

  test("two changes at once have a version each", async () => {
    const metric = await aMetric();
    const path = `/billable_metrics/${encodeURIComponent(metric.code)}`;
    await Promise.all(["a", "b", "c"].map((name) => must("PUT", path, { billable_metric: { name } })));
    expect((await versionsOf(metric.svc_id)).map(({ version }) => version)).toEqual([1, 2, 3, 4]);
    await expectKept();
  });
});

describe("states", () => {
  async function anInvoice(customer: object = {}): Promise<{ id: string; customer: string }> {
    const code = mark();
    await must("POST", "/customers", { customer: { external_id: code, currency: "EUR", ...customer } });
    await must("POST", "/add_ons", { add_on: { name: "A", code, amount_cents: 100, amount_currency: "EUR" } });
    const invoice = { external_customer_id: code, currency: "EUR", fees: [{ add_on_code: code, units: "1" }] };
    return { id: (await must("POST", "/invoices", { invoice })).invoice.svc_id, customer: code };
  }

  test("of invoices: paid, bounced, overdue, disputed and void", async () => {
    const { id } = await anInvoice();
    expect(await states(id)).toEqual([]);
    now = now.add({ hours: 48 });
    await drain();
    await must("PUT", `/invoices/${id}`, { invoice: { payment_status: "succeeded" } });
    now = now.add({ minutes: 1 });
    await must("PUT", `/invoices/${id}`, { invoice: { payment_status: "failed" } });
    await must("POST", `/invoices/${id}/lose_dispute`);
    expect(await states(id)).toEqual([
      ["invoice_overdue", "false", "true"],
      ["invoice_payment_status", "pending", "succeeded"],
      ["invoice_overdue", "true", "false"],
      ["invoice_payment_status", "succeeded", "failed"],
      ["invoice_overdue", "false", "true"],
      ["invoice_overdue", "true", "false"],
      ["invoice_dispute", null, "lost"],
    ]);
    expect((await changesOf(id)).at(-1)?.at).toEqual(String(now));
    const other = await anInvoice();
    await must("POST", `/invoices/${other.id}/void`);
    expect(await states(other.id)).toEqual([["invoice_void", "finalized", "voided"]]);
    await expectKept();
  });

  test("of a customer on a test clock have the time of that clock", async () => {
    const { svc_id: test_clock_id } = (
      await must("POST", "/test_clocks", { test_clock: { name: "c", now: "2024-01-01T00:00:00Z" } })
    ).test_clock;
    const { id } = await anInvoice({ test_clock_id });
    await must("PUT", `/invoices/${id}`, { invoice: { payment_status: "succeeded" } });
    expect(await changesOf(id)).toMatchObject([{ kind: "invoice_payment_status", at: "2024-01-01T00:00:00Z" }]);
  });

  test("of fees, and of the plan that a subscription is on", async () => {
    const { id } = await anInvoice();
    await must("PUT", `/invoices/${id}`, { invoice: { payment_status: "succeeded" } });
    const fees = await runOn<{ id: string }>(url, "select id from fees where invoice_id = $1", [id]);
    expect(await states(fees[0]?.id ?? "")).toEqual([["fee_payment_status", "pending", "succeeded"]]);
    const code = mark();
    const plan = { name: "P", interval: "monthly", amount_cents: 100, amount_currency: "EUR", pay_in_advance: false };
    for (const suffix of ["a", "b"]) await must("POST", "/plans", { plan: { ...plan, code: `${code}${suffix}` } });
    await must("POST", "/customers", { customer: { external_id: code } });
    const subscription = { external_customer_id: code, external_id: code, plan_code: `${code}a` };
    const { svc_id } = (await must("POST", "/subscriptions", { subscription })).subscription;
    // A price for one customer is a plan of its own.
    await must("PUT", `/subscriptions/${encodeURIComponent(code)}`, {
      subscription: { plan_overrides: { amount_cents: 50 } },
    });
    const changes = await changesOf(svc_id);
    expect(changes.map(({ kind }) => kind)).toEqual(["subscription_plan"]);
    await expectKept();
  });

  test.each(["definition_versions", "state_changes"])("no row of %s can be changed or deleted", async (table) => {
    await expect(runOn(url, `update ${table} set organization_id = organization_id`)).rejects.toThrow("never change");
    await expect(runOn(url, `delete from ${table}`)).rejects.toThrow("never change");
  });
});
