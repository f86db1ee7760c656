import pg from "pg";
import { afterAll, expect, it, test } from "vitest";
import { cloneDatabase } from "../../testing/start-tallystick.ts";
import {
  EXCEPTIONS,
  NOT_FILLED_BY_REQUESTS,
  ONLY_ADDED_TO,
  ONLY_READ,
  SEARCHED_BY_OWNER,
  SEEN_BY_DISPATCHER,
} from "../../testing/tenancy-exceptions.ts";
import { createDatabase, inOrganization } from "./database.ts";
import { createPool, type Role } from "./pool.ts";

/** Libraries have their own schemas for their tables. */
const OURS = "n.nspname = 'public' and c.relkind in ('r', 'p', 'f')";

const url = await cloneDatabase();
const login = await connect();
const all = await listTables();
/** Tables that queries name. Partitions are accessed through their table, whose policies then apply; the catalog check covers all. */
const tables = all.filter(({ isPartition }) => !isPartition).map(({ name }) => name);
const partitions = all.filter(({ isPartition }) => isPartition).map(({ name }) => name);
const tenantTables = tables.filter((table) => !(table in EXCEPTIONS));

/** As the login of DATABASE_URL: reads the catalog and plants rows. */
async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  afterAll(() => client.end());
  return client;
}

/** One connection in a role of the service, opened in the same way. */
function connectAs(role: Role): pg.Pool {
  const pool = createPool({ url, role, connectionsMax: 1, statementTimeoutMs: 5_000 });
  afterAll(() => pool.end());
  return pool;
}

async function read<Row extends object = Record<string, string>>(
  query: string,
  values: unknown[] = [],
): Promise<Row[]> {
  return (await login.query<Row>(query, values)).rows;
}

function listTables() {
  return read<{ name: string; isPartition: boolean }>(
    `select c.relname as name, c.relispartition as "isPartition"
     from pg_class c join pg_namespace n on n.oid = c.relnamespace where ${OURS} order by 1`,
  );
}

/** The faults of the tables in the catalog, in words; empty if every table is protected. */
async function findUnprotected(): Promise<string[]> {
  const isException = Object.keys(EXCEPTIONS);
  const open = await read(
    `select c.relname || ': row level security is not ' || case when c.relrowsecurity then 'forced' else 'enabled' end as fault
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where ${OURS} and not (c.relrowsecurity and c.relforcerowsecurity)`,
  );
  const homeless = await read(
    `select c.relname || ': organization_id is missing or may be null' as fault
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     left join pg_attribute a on a.attrelid = c.oid and a.attname = 'organization_id' and a.atttypid = 'uuid'::regtype
     where ${OURS} and c.relname <> all($1) and a.attnotnull is not true`,
    [isException],
  );
  const keys = await read(
    `select c.relname || ': its primary key does not begin with organization_id' as fault
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     left join pg_constraint k on k.conrelid = c.oid and k.contype = 'p'
     left join pg_attribute a on a.attrelid = c.oid and a.attnum = k.conkey[1]
     where ${OURS} and c.relname <> all($1) and a.attname is distinct from 'organization_id'`,
    [isException],
  );
  const uniques = await read(
    `select c.relname || ': the unique index ' || i.indexrelid::regclass || ' does not begin with organization_id' as fault
     from pg_index i join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace
     left join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
     where ${OURS} and i.indisunique and c.relname <> all($1) and a.attname is distinct from 'organization_id'
       and i.indexrelid::regclass::text <> 'api_keys_key_id_key'`,
    [isException],
  );
  const faults = [...open, ...homeless, ...keys, ...uniques].map(({ fault = "" }) => fault);
  return [...faults, ...(await findLooseReferences()), ...(await findOpenPolicies())];
}

/** Foreign keys that could refer to a row of another organization: key checks ignore policies. */
async function findLooseReferences(): Promise<string[]> {
  type Reference = { fault: string; name: string; columns: string[]; target: string; targets: string[] };
  const references = await read<Reference>(
    `select c.relname as name, c.relname || ': ' || k.conname || ' does not carry organization_id' as fault, k.confrelid::regclass::text as target,
       array(select attname::text from unnest(k.conkey) with ordinality as x(num, position)
         join pg_attribute on attrelid = k.conrelid and attnum = num order by position) as columns,
       array(select attname::text from unnest(k.confkey) with ordinality as x(num, position)
         join pg_attribute on attrelid = k.confrelid and attnum = num order by position) as targets
     from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
     where ${OURS} and k.contype = 'f'`,
  );
  const columnOf = (table: string): string => (table === "organizations" ? "id" : "organization_id");
  const isTied = ({ name, columns, target, targets }: Reference): boolean => {
    // A person belongs to no organization.
    if (target === "users") return true;
    const position = columns.indexOf(columnOf(name));
    return position >= 0 && targets[position] === columnOf(target);
  };
  return references.filter((reference) => !isTied(reference)).map(({ fault }) => fault);
}

/** Each tenant table has one policy for the app role, on its organization, and none for all roles. */
async function findOpenPolicies(): Promise<string[]> {
  const policies = await read(
    `select c.relname as name, p.polname as policy, p.polcmd as command, p.polroles::regrole[]::text as roles,
       pg_get_expr(p.polqual, p.polrelid) as visible, pg_get_expr(p.polwithcheck, p.polrelid) as writable
     from pg_policy p join pg_class c on c.oid = p.polrelid join pg_namespace n on n.oid = c.relnamespace where ${OURS}`,
  );
  const faults = policies.flatMap(({ name = "", policy, command, roles = "", visible, writable }) => {
    if (roles === "{tallystick_verifier}" && command === "r") return [];
    if (roles === "{tallystick_dispatcher}" && name in SEEN_BY_DISPATCHER) return [];
    if (roles === "{tallystick_owner}" && command === "r" && SEARCHED_BY_OWNER.includes(name)) return [];
    // Only to read, and only some columns: the test on people below shows which.
    if (name === "users" && policy === "colleagues" && roles === "{tallystick_app}" && command === "r") return [];
    const column = name === "organizations" ? "id" : "organization_id";
    const own = `(${column} = ( SELECT current_organization() AS current_organization))`;
    const isTenant = roles === "{tallystick_app}" && visible === own && writable === own && command === "*";
    return isTenant ? [] : [`${name}: the policy ${policy} shows ${roles} ${visible}, takes ${writable}`];
  });
  const protectedTables = new Set(policies.filter(({ policy }) => policy === "tenant").map(({ name }) => name));
  const bare = (await listTables()).filter(({ name }) => !(name in EXCEPTIONS) && !protectedTables.has(name));
  return [...faults, ...bare.map(({ name }) => `${name}: no policy for its organization`)];
}

test("every table belongs to an organization in its columns, keys, references and policies", async () => {
  expect(tables.length).toBeGreaterThan(8);
  expect(await findUnprotected()).toEqual([]);
});

test("every exception is still a table", () => {
  const listed = [...Object.keys(EXCEPTIONS), ...Object.keys(SEEN_BY_DISPATCHER)];
  expect(listed.filter((table) => !tables.includes(table))).toEqual([]);
});

const PROTECTED = "organization_id uuid not null references organizations (id), id uuid not null";
const KEY = "primary key (organization_id, id)";

it.each([
  [
    "has no protection",
    "create table planted (organization_id uuid, id uuid primary key)",
    "row level security is not enabled",
  ],
  [
    "is not forced",
    `create table planted (${PROTECTED}, ${KEY}); select protect_tenant_table('planted');
     alter table planted no force row level security`,
    "row level security is not forced",
  ],
  ["has no organization", "create table planted (id uuid primary key)", "organization_id is missing or may be null"],
  [
    "may have no organization",
    `create table planted (organization_id uuid, id uuid, unique (organization_id, id)); select protect_tenant_table('planted')`,
    "organization_id is missing or may be null",
  ],
  [
    "has no key",
    `create table planted (${PROTECTED}); select protect_tenant_table('planted')`,
    "its primary key does not begin with organization_id",
  ],
  [
    "has a key that begins otherwise",
    `create table planted (${PROTECTED}, primary key (id, organization_id)); select protect_tenant_table('planted')`,
    "its primary key does not begin with organization_id",
  ],
  [
    "is unique over all organizations",
    `create table planted (${PROTECTED}, code text unique, ${KEY}); select protect_tenant_table('planted')`,
    "the unique index planted_code_key does not begin with organization_id",
  ],
  [
    "refers to a row of any organization",
    `create unique index taxes_id on taxes (id); alter table taxes add constraint taxes_id unique using index taxes_id;
     create table planted (${PROTECTED}, tax_id uuid references taxes (id), ${KEY}); select protect_tenant_table('planted')`,
    "planted_tax_id_fkey does not carry organization_id",
  ],
  [
    "has no policy",
    `create table planted (${PROTECTED}, ${KEY}); alter table planted enable row level security, force row level security`,
    "no policy for its organization",
  ],
  [
    "has an extra policy",
    `create table planted (${PROTECTED}, ${KEY}); select protect_tenant_table('planted');
     create policy wide on planted to tallystick_app using (true)`,
    "the policy wide shows {tallystick_app} true, takes null",
  ],
  [
    "evaluates the organization for each row",
    `create table planted (${PROTECTED}, ${KEY}); alter table planted enable row level security, force row level security;
     create policy tenant on planted to tallystick_app using (organization_id = current_organization())
       with check (organization_id = current_organization())`,
    "the policy tenant shows {tallystick_app} (organization_id = current_organization()), takes (organization_id = current_organization())",
  ],
  [
    "is shown to the dispatcher",
    `create table planted (${PROTECTED}, ${KEY}); select protect_tenant_table('planted');
     create policy dispatch on planted for select to tallystick_dispatcher using (true)`,
    "the policy dispatch shows {tallystick_dispatcher} true, takes null",
  ],
  [
    "is shown to the owner",
    `create table planted (${PROTECTED}, ${KEY}); select protect_tenant_table('planted');
     create policy search on planted for select to tallystick_owner using (true)`,
    "the policy search shows {tallystick_owner} true, takes null",
  ],
])("a table that %s is noticed", async (_, statements, fault) => {
  await login.query(`begin; ${statements}`);
  const faults = await findUnprotected();
  await login.query("rollback");
  expect(faults).toContain(`planted: ${fault}`);
});

test("a table that passed through protect_tenant_table has no fault", async () => {
  await login.query(`begin; create table planted (${PROTECTED}, ${KEY}); select protect_tenant_table('planted')`);
  const faults = await findUnprotected();
  await login.query("rollback");
  expect(faults).toEqual([]);
});

test("no role of the service can bypass row level security, or become another", async () => {
  const names = ["tallystick_app", "tallystick_dispatcher", "tallystick_owner", "tallystick_verifier"];
  const roles = await read(
    `select rolname, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolcanlogin from pg_roles
     where rolname = any($1) order by 1`,
    [names],
  );
  const none = { rolsuper: false, rolbypassrls: false, rolcreaterole: false, rolcreatedb: false, rolcanlogin: false };
  expect(roles).toEqual(names.map((rolname) => ({ rolname, ...none })));
  const memberships = await read(
    "select roleid::regrole::text as role from pg_auth_members where member::regrole::text = any($1)",
    [names],
  );
  expect(memberships).toEqual([]);
});

test("the owner owns every table, and the app role none", async () => {
  const owners = await read(`select distinct relowner::regrole::text as owner from pg_class c
    join pg_namespace n on n.oid = c.relnamespace where ${OURS}`);
  expect(owners).toEqual([{ owner: "tallystick_owner" }]);
});

test("the verifier can read every tenant table and write none", async () => {
  const rights = await read(
    `select c.relname as name, privilege from pg_class c join pg_namespace n on n.oid = c.relnamespace,
       unnest(array['insert', 'update', 'delete', 'truncate', 'references', 'trigger']) as privilege
     where c.relkind in ('r', 'p', 'v', 'm') and n.nspname not in ('pg_catalog', 'information_schema')
       and (has_table_privilege('tallystick_verifier', c.oid, privilege)
         or privilege in ('insert', 'update') and has_any_column_privilege('tallystick_verifier', c.oid, privilege))`,
  );
  expect(rights).toEqual([]);
  const verifier = connectAs("verifier");
  for (const table of tenantTables) {
    await verifier.query(`select count(*) from ${table}`);
    await expect(verifier.query(`delete from ${table}`), table).rejects.toMatchObject({ code: "42501" });
  }
});

test("the dispatcher sees the tables on its list and no others, and never a customer or a tax", async () => {
  const seen = await read(
    `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where ${OURS} and has_any_column_privilege('tallystick_dispatcher', c.oid, 'select') order by 1`,
  );
  expect(seen.map(({ name }) => name)).toEqual(Object.keys(SEEN_BY_DISPATCHER).sort());
  const dispatcher = connectAs("dispatcher");
  for (const table of tables.filter((name) => !(name in SEEN_BY_DISPATCHER)))
    await expect(dispatcher.query(`select 1 from ${table}`), table).rejects.toMatchObject({ code: "42501" });
});

test("the dispatcher cannot change what a claimed row says", async () => {
  const dispatcher = connectAs("dispatcher");
  for (const change of [
    "update api_keys set token_hash = token_hash",
    "update api_keys set revoked_at = null",
    "update outbox set payload = payload",
    "update due_instants set done_at = now()",
    "update test_clocks set now = now()",
    "select answer from idempotency_keys",
    "update organizations set name = name",
    "update webhook_endpoints set webhook_url = webhook_url",
    "select secret from webhook_endpoints",
    "select sealed_secrets from webhook_endpoints",
    "select private_key from webhook_keys",
    "select wrapped from data_keys",
    "update data_keys set wrapped = ''",
    "update master_keys set proof = ''",
    "update webhook_deliveries set settled_at = null",
    "select message_id from webhook_deliveries",
    "update mails set status = 'queued'",
    "select recipients from mails",
    "delete from users",
    "update members set built_in_role = 'owner'",
    "update roles set permissions = permissions",
    "update sign_in_rules set requires_sso = false",
    "delete from invitations",
    "select body from mails",
    "select item_id from notice_items",
    "update notice_items set ready_at = now()",
  ])
    await expect(dispatcher.query(change), change).rejects.toMatchObject({ code: "42501" });
});

test("no view runs with its owner's rights, and nothing copies rows out of their table", async () => {
  const views = await read(
    `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'public' and (c.relkind = 'm' or c.relkind = 'v'
       and not coalesce(c.reloptions, '{}') && array['security_invoker=true', 'security_invoker=on'])`,
  );
  expect(views).toEqual([]);
  // The job library has its own view, which only the dispatcher can read.
  const elsewhere = await read(
    `select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace,
       unnest(array['tallystick_app', 'tallystick_verifier']) as role
     where n.nspname not in ('public', 'pg_catalog', 'information_schema', 'pg_toast') and c.relkind in ('r', 'p', 'v', 'm')
       and has_schema_privilege(role, n.oid, 'usage') and has_any_column_privilege(role, c.oid, 'select')`,
  );
  expect(elsewhere).toEqual([{ name: "migrations.applied" }]);
});

test("three functions run with their owner's rights and a fixed search path", async () => {
  const functions = await read(
    `select p.pronamespace::regnamespace || '.' || p.proname as name, p.proconfig as settings from pg_proc p
     where p.prosecdef and p.pronamespace::regnamespace::text not in ('pg_catalog', 'information_schema')`,
  );
  expect(functions.toSorted((one, other) => String(one.name).localeCompare(String(other.name)))).toEqual([
    { name: "graphile_worker.enqueue_job", settings: ["search_path=pg_catalog, public"] },
    // Row level security keeps a request from using indexes of parts of a text. It returns ids of the organization that is set.
    { name: "public.find_ids", settings: expect.arrayContaining(["search_path=pg_catalog, public, pg_temp"]) },
    // Only the owner of a table can create its partitions. The function takes a number of months and returns nothing.
    { name: "public.make_event_partitions", settings: ["search_path=pg_catalog, public, pg_temp"] },
  ]);
  await expect(connectAs("app").query("select make_event_partitions(1)")).rejects.toMatchObject({ code: "42501" });
});

test("only requests search", async () => {
  for (const role of ["dispatcher", "verifier"] as const)
    await expect(connectAs(role).query("select find_ids('customers', '%', 1)"), role).rejects.toMatchObject({
      code: "42501",
    });
});

const A = "00000000-0000-7000-8000-00000000000a";
const B = "00000000-0000-7000-8000-00000000000b";

const OF_PEOPLE = [
  ...["users", "sessions", "setup_links", "sign_in_attempts", "totp_factors", "recovery_codes", "passkeys"],
  ...["passkey_challenges", "provider_sign_ins"],
];

/** A value of the type that two organizations can both have. Rows are inserted without checks, so any value works. */
const VALUES: Readonly<Record<string, string>> = {
  uuid: "gen_random_uuid()",
  text: "'planted'",
  bytea: "'planted'",
  boolean: "false",
  "timestamp with time zone": "now()",
  date: "now()",
  integer: "1",
  smallint: "1",
  bigint: "1",
  numeric: "1",
  json: "'{}'",
  jsonb: "'{}'",
  "text[]": "'{}'",
  "bigint[]": "'{}'",
  "timestamp with time zone[]": "'{}'",
};

/** Inserts a row of A and a row of B into every table, without checks and references. Only in a clone, and only as a superuser. */
async function plantRows(): Promise<void> {
  await login.query("set session_replication_role = replica");
  for (const { name, constraint } of await read(
    `select c.relname as name, quote_ident(k.conname) as constraint from pg_constraint k join pg_class c on c.oid = k.conrelid
     join pg_namespace n on n.oid = c.relnamespace where ${OURS} and k.contype = 'c' and k.coninhcount = 0`,
  ))
    await login.query(`alter table ${name} drop constraint ${constraint}`);
  // The migration created one row for each queue.
  await login.query("delete from relay_lanes");
  for (const table of tables) {
    const columns = await read(
      `select quote_ident(attname) as name, format_type(atttypid, null) as type from pg_attribute
       where attrelid = $1::regclass and attnum > 0 and not attisdropped and attnotnull and attgenerated = ''`,
      [table],
    );
    for (const organization of [A, B]) {
      const values = columns.map(({ name = "", type = "" }) => {
        if (name === "organization_id" || (table === "organizations" && name === "id")) return `'${organization}'`;
        if (name === "key_id" || name === "worker_id") return `'${organization}'`;
        if (table === "master_keys" && name === "version") return organization === A ? "1" : "2";
        // A person, a session and a token are of no organization.
        if (OF_PEOPLE.includes(table) && name === "id") return `'${organization}'`;
        if (OF_PEOPLE.includes(table) && type === "bytea") return `'${organization}'`;
        if (table === "users" && name === "email") return `'${organization}'`;
        if (table === "mail_domains" && name === "domain") return `'${organization}'`;
        if (name === "lane") return organization === A ? "0" : "1";
        return VALUES[type] ?? `null /* no value for ${type}: add one to VALUES */`;
      });
      await login.query(`insert into ${table} (${columns.map(({ name }) => name)}) values (${values})`);
    }
  }
  await login.query("set session_replication_role = default");
}

await plantRows();
const app = connectAs("app");
const OF_NOBODY = ["worker_heartbeats", "relay_lanes", "master_keys", ...OF_PEOPLE];
const seenByApp = tables.filter((table) => !OF_NOBODY.includes(table));
const organizationOf = (table: string) => (table === "organizations" ? "id" : "organization_id");

async function inApp<T>(organizationId: string | null, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await app.connect();
  try {
    await client.query("begin");
    if (organizationId) await client.query("select set_config('app.organization_id', $1, true)", [organizationId]);
    return await work(client);
  } finally {
    await client.query("rollback");
    client.release();
  }
}

const visibleIn = async (client: pg.Pool | pg.PoolClient, table: string): Promise<string[]> =>
  (await client.query(`select ${organizationOf(table)} as organization from ${table}`)).rows.map(
    (row) => row.organization,
  );

/** Without those that the database computes. */
const columnsOf = async (table: string): Promise<string> =>
  (
    await read(
      `select quote_ident(attname) as name from pg_attribute
       where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
      [table],
    )
  )
    .map(({ name }) => name)
    .join(", ");

test("every table shows the rows of the organization that is set, and without one no rows", async () => {
  for (const table of seenByApp) {
    expect((await visibleIn(login as unknown as pg.Pool, table)).toSorted(), table).toEqual([A, B]);
    expect(await inApp(A, (client) => visibleIn(client, table)), table).toEqual([A]);
    expect(await inApp(B, (client) => visibleIn(client, table)), table).toEqual([B]);
    expect(await inApp(null, (client) => visibleIn(client, table)), table).toEqual([]);
    expect(await visibleIn(app, table), table).toEqual([]);
  }
  for (const table of OF_NOBODY.filter((name) => name !== "users"))
    await expect(app.query(`select 1 from ${table}`), table).rejects.toMatchObject({ code: "42501" });
});

test.each(SEARCHED_BY_OWNER)(
  "a search of %s finds the rows of the organization that is set, and without one no rows",
  async (table) => {
    await login.query("set session_replication_role = replica");
    const column = table === "customers" || table === "subscriptions" ? "external_id" : "number";
    await login.query(`update ${table} set ${column} = 'PLANTED'`);
    await login.query("set session_replication_role = default");
    const found = (organizationId: string | null) =>
      inApp(organizationId, async (client) =>
        (await client.query("select organization_id from find_ids($1, '%LANTE%', 10)", [table])).rows.map(
          (row) => row.organization_id,
        ),
      );
    expect(await found(A)).toEqual([A]);
    expect(await found(B)).toEqual([B]);
    expect(await found(null)).toEqual([]);
  },
);

test("of people, an organization sees the names and addresses of its members, and nothing else", async () => {
  await login.query("set session_replication_role = replica");
  await login.query("update members set user_id = organization_id");
  await login.query("set session_replication_role = default");
  const seen = (organizationId: string | null) =>
    inApp(organizationId, async (client) => (await client.query("select id from users")).rows.map(({ id }) => id));
  expect(await seen(A)).toEqual([A]);
  expect(await seen(B)).toEqual([B]);
  expect(await seen(null)).toEqual([]);
  for (const change of ["select password_hash from users", "update users set name = name", "delete from users"])
    await expect(
      inApp(A, (client) => client.query(change)),
      change,
    ).rejects.toMatchObject({ code: "42501" });
});

it.each(seenByApp)(
  "a row of another organization cannot be inserted, changed, moved or deleted in %s",
  async (table) => {
    const own = organizationOf(table);
    const [theirs] = await read<{ row: object }>(`select to_jsonb(t) as row from ${table} t where ${own} = $1`, [B]);
    const columns = await columnsOf(table);
    const insert = `insert into ${table} (${columns}) select ${columns} from jsonb_populate_record(null::${table}, $1)`;
    const refused = { code: "42501", message: expect.stringContaining("row-level security") };
    const denied = { code: "42501", message: expect.stringContaining("permission denied") };
    const notInserted = NOT_FILLED_BY_REQUESTS.includes(table) || table in ONLY_READ ? denied : refused;
    await expect(inApp(A, (client) => client.query(insert, [theirs?.row]))).rejects.toMatchObject(notInserted);
    await expect(inApp(null, (client) => client.query(insert, [theirs?.row]))).rejects.toMatchObject(notInserted);
    const takeOver = inApp(A, (client) => client.query(`update ${table} set ${own} = $1`, [B]));
    if (table in ONLY_ADDED_TO || table in ONLY_READ) return expect(takeOver).rejects.toThrow("permission denied");
    await expect(takeOver).rejects.toMatchObject(refused);
    const changed = await inApp(A, (client) =>
      client.query(`update ${table} set ${own} = ${own} where ${own} = $1`, [B]),
    );
    expect(changed.rowCount).toBe(0);
    if (table === "organizations") return;
    expect((await inApp(A, (client) => client.query(`delete from ${table} where ${own} = $1`, [B]))).rowCount).toBe(0);
  },
);

test("a partition accessed by its own name shows and accepts no more than its table", async () => {
  expect(partitions).toEqual(expect.arrayContaining(["event_keys_00", "event_keys_15", "events_default"]));
  const rows = await read<{ name: string; organizations: string[] }>(
    `select tableoid::regclass::text as name, array_agg(distinct organization_id::text) as organizations
     from (select tableoid, organization_id from events union all select tableoid, organization_id from event_keys) as rows group by 1`,
  );
  expect(rows.flatMap(({ organizations }) => organizations).toSorted()).toEqual([A, A, B, B]);
  for (const { name } of rows) {
    expect(await visibleIn(app, name), name).toEqual([]);
    for (const organization of [A, B])
      for (const seen of await inApp(organization, (client) => visibleIn(client, name)))
        expect(seen).toBe(organization);
    const change = `update ${name} set organization_id = organization_id`;
    expect((await inApp(null, (client) => client.query(change))).rowCount, name).toBe(0);
  }
});

it.each(["commit", "rollback"])(
  "after the %s the next transaction of the same connection has no organization",
  async (end) => {
    const client = await app.connect();
    try {
      const backend = async () => (await client.query("select pg_backend_pid() as pid")).rows;
      await client.query("begin");
      await client.query("select set_config('app.organization_id', $1, true)", [A]);
      expect(await visibleIn(client, "organizations")).toEqual([A]);
      const before = await backend();
      await client.query(end);
      expect(await visibleIn(client, "organizations")).toEqual([]);
      await client.query("begin");
      expect((await client.query("select current_organization() as current")).rows).toEqual([{ current: null }]);
      expect(await visibleIn(client, "counters")).toEqual([]);
      await client.query("rollback");
      expect(await backend()).toEqual(before);
    } finally {
      client.release();
    }
  },
);

test("the service's own transactions leave nothing behind on a pooled connection", async () => {
  const db = createDatabase(app);
  const names = () => db.selectFrom("organizations").select("id").execute();
  expect(await inOrganization(db, A, (tx) => tx.selectFrom("organizations").select("id").execute())).toEqual([
    { id: A },
  ]);
  expect(await names()).toEqual([]);
  const failed = inOrganization(db, A, async () => {
    throw new Error("undone");
  });
  await expect(failed).rejects.toThrow("undone");
  expect(await names()).toEqual([]);
});

test("a job has the organization of its transaction, and cannot be enqueued without one", async () => {
  const enqueue = "select graphile_worker.enqueue_job('planted', '{}', null, 1)";
  await expect(inApp(null, (client) => client.query(enqueue))).rejects.toThrow("a job needs an organization");
  await expect(inApp(A, (client) => client.query("select graphile_worker.add_job('planted')"))).rejects.toMatchObject({
    code: "42501",
  });
  const client = await app.connect();
  await client.query(`begin; select set_config('app.organization_id', '${A}', true); ${enqueue}; commit`);
  client.release();
  const [job] = await read("select payload->>'organization_id' as organization from graphile_worker._private_jobs");
  expect(job).toEqual({ organization: A });
});
