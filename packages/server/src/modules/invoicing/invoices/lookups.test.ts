import { expect, test } from "vitest";
import { runOn } from "../../../platform/postgres/temporary-database.ts";
import { startTallystick } from "../../../testing/start-tallystick.ts";
import { subscribeCustomer } from "../../../testing/subscribed-customer.ts";

const { platform, call, drain } = await startTallystick({ organizations: 1 });
const onDatabase = (query: string) => runOn(platform.config.DATABASE_URL, query);

/** Rows read per table. Postgres publishes a connection's counts when it ends. */
async function readCounts(): Promise<Map<string, number>> {
  await onDatabase(`select pg_terminate_backend(pid, 5000) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`);
  const rows = await onDatabase(
    "select relname, (seq_tup_read + coalesce(idx_tup_fetch, 0))::integer as read from pg_stat_user_tables",
  );
  return new Map(rows.map(({ relname, read }) => [String(relname), Number(read)]));
}

test("an invoice after many others reads no more rows than an early one, when created and when recomputed", async () => {
  // Postgres scans small tables as a whole, so every row would count.
  const name = new URL(platform.config.DATABASE_URL).pathname.slice(1);
  await onDatabase(`alter database ${name} set enable_seqscan = off`);
  // A plan that is kept for any list of ids expects ten of them, and before version 17 that is most of a small table.
  await onDatabase(`alter database ${name} set plan_cache_mode = force_custom_plan`);
  const acme = await subscribeCustomer(call, {
    now: "2024-01-01T00:00:00Z",
    metrics: {
      calls: { aggregation_type: "count_agg" },
      seats: { aggregation_type: "unique_count_agg", field_name: "user" },
    },
    charges: [
      { metric: "calls", properties: { amount: "1" } },
      { metric: "calls", pay_in_advance: true, invoiceable: false, properties: { amount: "1" } },
      { metric: "seats", properties: { amount: "1" }, min_amount_cents: 100 },
    ],
    customer: { billing_configuration: { invoice_grace_period: 1 } },
  });
  const bill = async (month: number): Promise<void> => {
    await acme.send("calls", {}, {});
    await acme.send("seats", { user: "a" });
    const [first = "", third = ""] = [1, 3].map((day) =>
      Temporal.PlainDate.from("2024-01-01").add({ months: month, days: day }).toString(),
    );
    for (const day of [first, third]) await acme.advanceTo(`${day}T12:00:00Z`);
    await drain();
  };
  const recompute = async (id: string): Promise<void> => {
    const { body } = await call("GET", `/invoices/${id}/verification`);
    expect(body).toMatchObject({ verification: { status: "same" } });
  };
  const rowsOf = async (work: () => Promise<void>): Promise<Map<string, number>> => {
    await onDatabase("analyze");
    const before = await readCounts();
    await work();
    return new Map([...(await readCounts())].map(([table, count]) => [table, count - (before.get(table) ?? 0)]));
  };
  const rowsOfMonth = async (month: number) => {
    const made = await rowsOf(() => bill(month));
    const { body } = await call("GET", "/invoices?per_page=1");
    return { made, recomputed: await rowsOf(() => recompute(body.invoices[0].svc_id)) };
  };
  await bill(1);
  const early = await rowsOfMonth(2);
  for (let month = 3; month < 14; month++) await bill(month);
  const late = await rowsOfMonth(14);
  expect(findGrown(early.made, late.made)).toEqual([]);
  expect(findGrown(early.recomputed, late.recomputed)).toEqual([]);
});

function findGrown(early: ReadonlyMap<string, number>, late: ReadonlyMap<string, number>) {
  expect(early.get("fees")).toBeGreaterThan(0);
  return [...late]
    .map(([table, rows]) => ({ table, early: early.get(table) ?? 0, late: rows }))
    .filter(({ early, late }) => late > early * 1.2 + 5);
}
