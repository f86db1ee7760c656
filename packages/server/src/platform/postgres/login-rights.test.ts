// The logins that the guide creates, tried as somebody would who gets SQL into a connection of the service.
import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterAll, describe, expect, inject, it, test } from "vitest";
import { cloneDatabase } from "../../testing/start-tallystick.ts";
import { createDatabase } from "./database.ts";
import { findExcessRights } from "./login-rights.ts";
import { migrate } from "./migrate.ts";
import { createPool, type Role } from "./pool.ts";
import { runOn, withDatabase } from "./temporary-database.ts";

const url = await cloneDatabase();
// Rights on a database are not cloned with it.
await migrate(url);

const serverUrl = withDatabase(inject("templateUrl"), "postgres");
const mark = randomBytes(6).toString("hex");
const service = await makeLogin("service", "noinherit in role tallystick_app, tallystick_dispatcher");
const requests = await makeLogin("requests", "noinherit in role tallystick_app");

async function makeLogin(name: string, options: string): Promise<string> {
  const login = `${name}_${mark}`;
  await runOn(serverUrl, `create role ${login} login ${options}`);
  afterAll(async () => {
    await runOn(url, `reassign owned by ${login} to current_user`);
    await runOn(url, `drop owned by ${login}`);
    await runOn(serverUrl, `drop role ${login}`);
  });
  return login;
}

function urlOf(login: string): string {
  const own = new URL(url);
  own.username = login;
  return own.toString();
}

const REFUSED: readonly string[] = [
  // Become somebody else.
  "set role tallystick_owner",
  "set role tallystick_verifier",
  "set role postgres",
  "set session authorization postgres",
  "select set_config('role', 'tallystick_owner', false)",
  "alter role current_user superuser",
  "alter role session_user bypassrls",
  "create role intruder",
  "grant tallystick_owner to session_user",
  "grant pg_execute_server_program to session_user",
  "grant pg_read_all_data to session_user",
  // Reach the host, other databases and what others run.
  "copy (select 1) to program 'true'",
  "copy (select 1) to '/tmp/intruder'",
  "select pg_read_file('PG_VERSION')",
  "select lo_import('/etc/hostname')",
  "select * from pg_authid",
  "create database intruder",
  "alter system set fsync = off",
  "create extension dblink",
  // Leave something behind for others.
  "create function public.intruder() returns int language sql as 'select 1'",
  "create table public.intruder (id int)",
  "create temporary table customers (id int)",
  "create schema intruder",
  "create event trigger intruder on ddl_command_start execute function suppress_redundant_updates_trigger()",
  "create or replace function public.current_organization() returns uuid language sql as 'select null::uuid'",
  // Take away what protects the rows.
  "alter table customers disable row level security",
  "alter table customers no force row level security",
  "create policy wide on customers using (true)",
  "alter policy tenant on customers using (true)",
  "drop policy tenant on customers",
  "alter table ledger_entries disable trigger all",
  "alter table customers owner to session_user",
  `alter database ${new URL(url).pathname.slice(1)} owner to session_user`,
  "set session_replication_role = replica",
  "truncate ledger_entries",
  "update ledger_entries set amount_cents = 1",
  "delete from migrations.applied",
  "insert into migrations.applied values ('0099-intruder', '')",
  "select public.protect_tenant_table('customers')",
  "drop owned by tallystick_owner",
  "reassign owned by tallystick_owner to session_user",
];

/** Every way in which a connection of the service can begin: the role of its pool, the login itself, and the other role of the login. */
const BEGINNINGS = [
  [requests, "app", "select 1"],
  [requests, "app", "set role none"],
  [service, "app", "set role none"],
  [service, "app", "set role tallystick_dispatcher"],
] as const satisfies readonly [string, Role, string][];

describe.each(BEGINNINGS)("%s as %s, after %s", (login, role, beginning) => {
  const pool = createPool({ url: urlOf(login), role, connectionsMax: 1, statementTimeoutMs: 5_000 });
  afterAll(() => pool.end());

  /** In a transaction that is undone, where Postgres allows one. Returns the error code. */
  async function attempt(statement: string): Promise<string> {
    const client = await pool.connect();
    try {
      await client.query(beginning);
      if (!/^(create database|alter system)/.test(statement)) await client.query("begin");
      await client.query(statement);
      return "done";
    } catch (error) {
      return error instanceof pg.DatabaseError ? `${error.code} ${error.message}` : String(error);
    } finally {
      await client.query("rollback");
      client.release();
    }
  }

  it.each(REFUSED)("is refused: %s", async (statement) => {
    expect(await attempt(statement)).toMatch(/^42501 /);
  });
});

test("a connection for requests can neither act for all organizations nor find out which there are", async () => {
  const pool = createPool({ url: urlOf(requests), role: "app", connectionsMax: 1, statementTimeoutMs: 5_000 });
  afterAll(() => pool.end());
  await expect(pool.query("set role tallystick_dispatcher")).rejects.toMatchObject({ code: "42501" });
  expect((await pool.query("select id from organizations")).rows).toEqual([]);
  for (const table of ["organizations", "customers", "api_keys"])
    await expect(pool.query(`set role none; select 1 from ${table}`)).rejects.toMatchObject({ code: "42501" });
});

async function rightsOf(login: string, needed: readonly Role[]): Promise<readonly string[]> {
  const db = createDatabase(createPool({ url: urlOf(login), role: "app", connectionsMax: 1, statementTimeoutMs: 0 }));
  try {
    const found = await findExcessRights(db, needed);
    expect(found.login).toBe(login);
    return found.rights;
  } finally {
    await db.destroy();
  }
}

test("the logins of the guide have no right that they do not need", async () => {
  expect(await rightsOf(service, ["app", "dispatcher"])).toEqual([]);
  expect(await rightsOf(requests, ["app"])).toEqual([]);
  expect(await rightsOf(service, ["app"])).toEqual(["may act as tallystick_dispatcher"]);
});

it.each([
  ["superuser", [], ["is a superuser"]],
  ["createrole", [], ["can create roles (CREATEROLE)"]],
  ["createdb", [], ["can create databases (CREATEDB)"]],
  ["replication", [], ["can copy the whole server (REPLICATION)"]],
  ["bypassrls", [], ["bypasses row level security (BYPASSRLS)"]],
  ["", ["grant tallystick_verifier to LOGIN"], ["may act as tallystick_verifier"]],
  ["", ["grant pg_read_server_files to LOGIN"], ["may act as pg_read_server_files"]],
  [
    "",
    ["create role GROUP createrole", "grant GROUP to LOGIN"],
    ["may act as GROUP, which can create roles (CREATEROLE)"],
  ],
  [
    "",
    ["create role GROUP", "grant tallystick_owner to GROUP", "grant GROUP to LOGIN"],
    [
      "can create objects in this database (CREATE)",
      "may act as GROUP, which can create objects in this database (CREATE)",
      "may act as tallystick_owner",
    ],
  ],
  ["", ["create role GROUP", "grant GROUP to LOGIN"], []],
  ["", ["create schema of_LOGIN authorization LOGIN"], ["owns this database or objects in it"]],
  ["", ["grant create on schema public to LOGIN"], ["can create objects in this database (CREATE)"]],
] as const)("of a login %s after %j, npm start names %j", async (options, statements, words) => {
  const name = `login_${randomBytes(3).toString("hex")}`;
  const login = await makeLogin(name, `${options} in role tallystick_app, tallystick_dispatcher`);
  const group = `group_${login}`;
  const fill = (text: string): string => text.replaceAll("LOGIN", login).replaceAll("GROUP", group);
  for (const statement of statements) await runOn(url, fill(statement));
  if (statements.some((statement) => statement.startsWith("create role")))
    afterAll(async () => void (await runOn(serverUrl, `drop role ${group}`)));
  expect(await rightsOf(login, ["app", "dispatcher"])).toEqual(words.map(fill));
});
