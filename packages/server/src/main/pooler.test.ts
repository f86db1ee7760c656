/** Through a real PgBouncer in transaction mode. The login is a superuser: a statement that lost its role would see everything. */
import { sql } from "kysely";
import pg from "pg";
import { afterAll, describe, expect, test } from "vitest";
import { inOrganization } from "../platform/postgres/database.ts";
import { runOn } from "../platform/postgres/temporary-database.ts";
import { hasPgbouncer, startPgbouncer } from "../testing/start-pgbouncer.ts";
import { cloneDatabase, startTallystick } from "../testing/start-tallystick.ts";
import { composePlatform, type Platform } from "./compose.ts";
import { readConfig } from "./config.ts";
import { findDatabaseFaults } from "./databases.ts";
import { NO_RATE_LIMITS } from "./limit-settings.ts";

const TRANSACTIONS = 1_000;
const SERVER_CONNECTIONS = 3;

describe.skipIf(!hasPgbouncer)("through PgBouncer", async () => {
  if (!hasPgbouncer) return;
  const url = await cloneDatabase();
  // Another zone than ours, so that a lost setting shows.
  await runOn(url, `alter database ${new URL(url).pathname.slice(1)} set timezone = 'Asia/Tokyo'`);
  const pgbouncer = await startPgbouncer(url, { serverConnections: SERVER_CONNECTIONS });
  const settings = { DATABASE_URL: url, DATABASE_POOLER_URL: pgbouncer.urlOf(url), DATABASE_CONNECTIONS: "20" };
  const service = await startTallystick({ settings });
  const { platform, organizations, call, drain } = service;
  const { db, dispatcherDb } = platform;
  afterAll(() => pgbouncer.stop());
  const [mine, theirs] = organizations;
  if (!mine || !theirs) throw new Error("two organizations are needed");

  const seen = (tx: Parameters<Parameters<typeof inOrganization>[2]>[0]) =>
    sql<{ role: string; limit: string; zone: string; owners: string[] }>`
      select current_user::text as role, current_setting('statement_timeout') as limit, current_setting('timezone') as zone,
        array(select distinct organization_id::text from customers) as owners`.execute(tx);

  test("1,000 mixed transactions of two organizations over 3 connections: each sees its own rows and no others", async () => {
    for (const { key } of [mine, theirs])
      expect((await call("POST", "/customers", { customer: { external_id: "c" } }, { key })).status).toBe(200);
    const owners = (found: string[]) => ({ role: "tallystick_app", limit: "5s", zone: "UTC", owners: found });
    const kinds = [
      async ({ id }: { id: string }) => expect((await inOrganization(db, id, seen)).rows).toEqual([owners([id])]),
      async ({ id, key }: { id: string; key: string }) => {
        const { status, body } = await call(
          "POST",
          "/customers",
          { customer: { external_id: "c", name: id } },
          { key },
        );
        expect([status, body.customer?.name]).toEqual([200, id]);
      },
      // Outside of a transaction, and without an organization.
      async () => expect((await seen(db as never)).rows).toEqual([owners([])]),
      async () => {
        const found = await sql<{ role: string; limit: string }>`
          select current_user::text as role, current_setting('statement_timeout') as limit`.execute(dispatcherDb);
        expect(found.rows).toEqual([{ role: "tallystick_dispatcher", limit: "1min" }]);
      },
      // What fails must leave nothing on the connection either.
      async ({ id }: { id: string }) =>
        expect(inOrganization(db, id, (tx) => sql`select 1 / 0`.execute(tx))).rejects.toThrow(/division by zero/),
      async () => expect(sql`select 1 / 0`.execute(db)).rejects.toThrow(/division by zero/),
    ];
    const run = async (number: number) => kinds[number % kinds.length]?.(number % 7 < 3 ? mine : theirs);
    await Promise.all(Array.from({ length: TRANSACTIONS }, (_, number) => run(number)));
  });

  test("nothing is left on a connection to Postgres", async () => {
    const pool = new pg.Pool({ connectionString: pgbouncer.urlOf(url), max: SERVER_CONNECTIONS });
    const clients = await Promise.all(Array.from({ length: SERVER_CONNECTIONS }, () => pool.connect()));
    for (const client of clients) await client.query("begin");
    const left = await Promise.all(
      clients.map((client) =>
        client.query(`select pg_backend_pid() as pid, current_user::text as role,
          coalesce(current_setting('app.organization_id', true), '') as organization,
          current_setting('statement_timeout') as limit, (select count(*)::int from pg_prepared_statements) as prepared`),
      ),
    );
    const rows = left.flatMap((found) => found.rows);
    expect(new Set(rows.map(({ pid }) => pid)).size).toBe(SERVER_CONNECTIONS);
    for (const { pid: _, ...row } of rows)
      expect(row).toEqual({ role: "postgres", organization: "", limit: "0", prepared: 0 });
    for (const client of clients) await client.query("rollback");
    for (const client of clients) client.release();
    await pool.end();
  });

  test("due work, messages and jobs are done", async () => {
    await call("POST", "/billable_metrics", {
      billable_metric: { name: "m", code: "m", aggregation_type: "count_agg" },
    });
    const plan = {
      name: "p",
      code: "p",
      interval: "monthly",
      amount_cents: 1_000,
      amount_currency: "EUR",
      pay_in_advance: true,
    };
    expect((await call("POST", "/plans", { plan })).status).toBe(200);
    const subscription = { external_customer_id: "c", external_id: "s", plan_code: "p" };
    expect((await call("POST", "/subscriptions", { subscription })).status).toBe(200);
    await drain();
    const { body } = await call("GET", "/invoices");
    expect(
      body.invoices.map(({ total_amount_cents }: { total_amount_cents: number }) => total_amount_cents),
    ).toHaveLength(1);
  });

  const faultsWith = async (changed: Record<string, string>): Promise<string[]> => {
    const other: Platform = composePlatform(
      readConfig({ ...NO_RATE_LIMITS, LOG_LEVEL: "silent", ...settings, ...changed }),
    );
    try {
      // A test database need not survive a power failure.
      return (await findDatabaseFaults(other)).filter(
        (fault) => !fault.includes("an acknowledged request can be lost"),
      );
    } finally {
      await other.close();
    }
  };

  test("start-up accepts this pooler, and refuses one that leads elsewhere", async () => {
    expect(await faultsWith({ DATABASE_URL: url })).toEqual([]);
    const elsewhere = pgbouncer.urlOf(await cloneDatabase());
    expect(await faultsWith({ DATABASE_POOLER_URL: elsewhere })).toEqual([
      "DATABASE_POOLER_URL leads to another database than DATABASE_URL: let both lead to the same",
    ]);
  });

  test("start-up accepts session mode, and fails in statement mode", async () => {
    const inMode = async (mode: string): Promise<string[]> => {
      const other = await startPgbouncer(url, { serverConnections: 2, settings: [`pool_mode = ${mode}`] });
      return faultsWith({ DATABASE_POOLER_URL: other.urlOf(url) }).finally(other.stop);
    };
    expect(await inMode("session")).toEqual([]);
    await expect(inMode("statement")).rejects.toThrow(/transaction blocks not allowed in statement pooling mode/);
  });

  test("start-up refuses a pooler in DATABASE_URL, whether it refuses the role or drops it", async () => {
    const direct = { DATABASE_POOLER_URL: "none" };
    await expect(faultsWith({ ...direct, DATABASE_URL: pgbouncer.urlOf(url) })).rejects.toThrow(
      /unsupported startup parameter/,
    );
    const dropping = await startPgbouncer(url, {
      serverConnections: 1,
      settings: ["ignore_startup_parameters = options"],
    });
    expect(await faultsWith({ ...direct, DATABASE_URL: dropping.urlOf(url) })).toContainEqual(
      expect.stringMatching(/^connections run as postgres, which bypasses row level security/),
    );
    await dropping.stop();
  });
});
