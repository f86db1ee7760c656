/** What `/ready` says when the database does not accept writes, or has too few connections. Each cause is a real one but the full disk. */
import { sql } from "kysely";
import { expect, test } from "vitest";
import { inOrganization } from "../platform/postgres/database.ts";
import { runOn, withDatabase } from "../platform/postgres/temporary-database.ts";
import { cloneDatabase, startTallystick } from "../testing/start-tallystick.ts";

const url = await cloneDatabase();
const name = new URL(url).pathname.slice(1);
const CONNECTIONS = 2;
const WORKERS = 1;
const settings = {
  DATABASE_URL: url,
  DATABASE_CONNECTIONS: String(CONNECTIONS),
  WORKER_CONCURRENCY: String(WORKERS),
  CLICKHOUSE_URL: "http://127.0.0.1:1/inner_name",
};
const { app, call, platform, organizations, startWorker } = await startTallystick({ settings, organizations: 1 });
/** The formula of the operating guide. */
const CONNECTIONS_MAX = CONNECTIONS + 5 * WORKERS + 4;

const readWarnings = async (): Promise<string[]> => (await app.inject("/ready")).json().warnings;
/** From another database, where the settings of the first do not hold. */
const onServer = (statement: string) => runOn(withDatabase(url, "postgres"), statement);
const setAndReconnect = async (setting: string): Promise<void> => {
  await onServer(`alter database ${name} ${setting}`);
  await onServer(`select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}'`);
};
const countConnections = async (): Promise<number> => {
  const [row] = await runOn<{ count: number }>(
    withDatabase(url, "postgres"),
    "select count(*)::integer as count from pg_stat_activity where datname = $1",
    [name],
  );
  return row?.count ?? 0;
};

test("/ready shows no address of a server, and is quiet about a database that works", async () => {
  const { body } = await app.inject("/ready");
  expect(JSON.parse(body).warnings).toEqual([expect.stringMatching(/^events are accepted, but usage cannot be read/)]);
  expect(body).not.toMatch(/127\.0\.0\.1|ECONNREFUSED|inner_name/);
});

test("under load a process opens no more connections than the documented number, and /ready says that work waits", async () => {
  const worker = await startWorker();
  const [{ id } = { id: "" }] = organizations;
  let isOver = false;
  let most = 0;
  const watching = (async () => {
    // A connection that was closed is counted until its process has ended, so only what is there three times counts.
    while (!isOver) {
      const counts = [await countConnections(), await countConnections(), await countConnections()];
      most = Math.max(most, Math.min(...counts));
    }
  })();
  const load = Array.from({ length: 60 }, async (_, number) => {
    await call("POST", "/customers", { customer: { external_id: `c${number}` } });
    await inOrganization(platform.db, id, (tx) => sql`select pg_sleep(0.05)`.execute(tx));
    await sql`select pg_sleep(0.2)`.execute(platform.dispatcherDb);
    const client = await platform.queuePool.connect();
    await client.query("select pg_sleep(0.05)");
    client.release();
  });
  const longest = Array.from({ length: CONNECTIONS + 1 }, () =>
    inOrganization(platform.db, id, (tx) => sql`select pg_sleep(3.1)`.execute(tx)),
  );
  await Promise.all([...load, ...longest]);
  isOver = true;
  await watching;
  expect(most).toBe(CONNECTIONS_MAX);
  expect(await readWarnings()).toContainEqual(
    expect.stringMatching(/^work waited up to \d+\.\d s for a database connection/),
  );
  await worker.stop();
});

test("/ready names a database that is read-only, and stays ready", async () => {
  await setAndReconnect("set default_transaction_read_only = on");
  const ready = await app.inject("/ready");
  await setAndReconnect("reset default_transaction_read_only");
  expect(ready.statusCode).toBe(200);
  expect(ready.json().warnings).toContainEqual(
    expect.stringMatching(/^writes fail, because the database is read-only/),
  );
});

test("/ready names a full disk", async () => {
  await runOn(
    url,
    `create function fill_up() returns trigger language plpgsql as
       $$ begin raise exception 'could not extend file: No space left on device' using errcode = 'disk_full'; end $$;
     create trigger fill_up before insert on customers execute function fill_up()`,
  );
  const { status } = await call("POST", "/customers", { customer: { external_id: "too many" } });
  await runOn(url, "drop function fill_up cascade");
  expect(status).toBe(503);
  expect(await readWarnings()).toContainEqual(
    expect.stringMatching(/^writes fail, because the disk of the database is full/),
  );
});

test("/ready says when Postgres has fewer connections left than the process may open", async () => {
  await setAndReconnect(`connection limit ${CONNECTIONS_MAX - 1}`);
  // A superuser would get in all the same.
  expect(await readWarnings()).toContainEqual(
    expect.stringMatching(/^Postgres has \d+ free connections, and this process may open \d+ more/),
  );
  await setAndReconnect("connection limit -1");
});
