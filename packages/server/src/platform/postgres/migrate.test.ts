import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import { expect, inject, onTestFinished, test } from "vitest";
import { cloneDatabase, createTestDatabase } from "../../testing/start-tallystick.ts";
import { createDatabase } from "./database.ts";
import { migrate, pendingMigrations } from "./migrate.ts";
import { createPool, type Role } from "./pool.ts";
import { runOn, withDatabase } from "./temporary-database.ts";

const serverUrl = withDatabase(inject("templateUrl"), "postgres");

async function whoAmI(url: string, role: Role): Promise<unknown> {
  const db = createDatabase(createPool({ url, role, connectionsMax: 1, statementTimeoutMs: 0 }));
  try {
    const { rows } = await sql<{ role: string }>`select current_user::text as role`.execute(db);
    return rows[0]?.role;
  } finally {
    await db.destroy();
  }
}

test("migrating twice applies nothing the second time", async () => {
  const url = await createTestDatabase();
  expect((await migrate(url)).length).toBeGreaterThan(0);
  expect(await migrate(url)).toEqual([]);
});

test("two processes can migrate at the same time, and each migration is applied once", async () => {
  const url = await createTestDatabase();
  const applied = (await Promise.all([migrate(url), migrate(url)])).flat();
  expect(new Set(applied).size).toBe(applied.length);
  expect(applied.length).toBeGreaterThan(0);
});

test("a login without superuser, as in managed Postgres, is enough once it may act as the roles", async () => {
  const login = `managed_${randomBytes(6).toString("hex")}`;
  await runOn(serverUrl, `create role ${login} login`);
  const url = new URL(await createTestDatabase(`owner ${login}`));
  onTestFinished(async () => {
    await runOn(serverUrl, `drop database if exists ${url.pathname.slice(1)} with (force)`);
    await runOn(serverUrl, `drop role ${login}`);
  });
  url.username = login;
  // Another login created the roles of this cluster, and the message says what to do about it.
  await expect(migrate(url.toString())).rejects.toThrow(`run "grant tallystick_owner to ${login}"`);
  const roles: Role[] = ["owner", "app", "dispatcher", "verifier"];
  for (const role of roles) await runOn(serverUrl, `grant tallystick_${role} to ${login}`);
  await migrate(url.toString());
  for (const role of roles) expect(await whoAmI(url.toString(), role)).toBe(`tallystick_${role}`);
});

test("what the login of the service left in the tables of the job library does not run as the owner", async () => {
  const login = `service_${randomBytes(6).toString("hex")}`;
  await runOn(serverUrl, `create role ${login} login noinherit in role tallystick_dispatcher`);
  const url = await cloneDatabase();
  onTestFinished(async () => {
    await runOn(serverUrl, `drop role ${login}`);
  });
  const service = new URL(url);
  service.username = login;
  await runOn(
    service.toString(),
    `set role tallystick_dispatcher;
     create function graphile_worker.intrude(id int) returns int language plpgsql as $$
     begin
       perform set_config('role', 'tallystick_owner', false);
       alter table public.customers disable row level security;
       return id;
     end $$;
     alter table graphile_worker.migrations rename to kept;
     create view graphile_worker.migrations as select graphile_worker.intrude(id) as id, ts, breaking from graphile_worker.kept`,
  );
  await expect(migrate(url, service.toString())).rejects.toThrow('permission denied to set role "tallystick_owner"');
  expect(await runOn(url, "select relrowsecurity from pg_class where oid = 'customers'::regclass")).toEqual([
    { relrowsecurity: true },
  ]);
});

test("a database that lacks a migration says which", async () => {
  const url = await cloneDatabase();
  const db = createDatabase(createPool({ url, role: "app", connectionsMax: 1, statementTimeoutMs: 0 }));
  onTestFinished(() => db.destroy());
  expect(await pendingMigrations(db)).toEqual([]);
  await runOn(url, "delete from migrations.applied where name = '0003-taxes'");
  expect(await pendingMigrations(db)).toEqual(["0003-taxes"]);
});

test("an older release leaves a newer database as it is, and says what to do", async () => {
  const url = await cloneDatabase();
  // As the release before would see it: there are migrations that it does not have, and roles and grants may differ from its own.
  await runOn(url, "insert into migrations.applied values ('9998-later', '2030'), ('9999-last', '2030')");
  await runOn(url, "revoke usage on schema public from tallystick_verifier");
  const stateOf = () =>
    runOn(
      url,
      `select (select jsonb_agg(a order by name) from migrations.applied a) as applied,
              (select array_agg(nspacl::text order by nspname) from pg_namespace) as grants`,
    );
  const before = await stateOf();
  await expect(migrate(url)).rejects.toThrow(
    /newer than this release, which does not know 9998-later, 9999-last\. Nothing was changed\.\n.*start it with "npm start", without migrating/,
  );
  expect(await stateOf()).toEqual(before);
});
