/** What 0034 gives to keys of earlier releases, and what it leaves as it was. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, it, test } from "vitest";
import { createTestDatabase } from "../../testing/start-tallystick.ts";

const MIGRATION = "0034-webhook-settings";
const folder = join(import.meta.dirname, "migrations");
const readUp = (name: string) => readFile(join(folder, name, "up.sql"), "utf8");
const id = (number: number) => `00000000-0000-7000-8000-${String(number).padStart(12, "0")}`;
const login = new pg.Client({ connectionString: await createTestDatabase() });

type Permissions = Record<string, string[]> | null;
const KEYS: readonly (readonly [before: Permissions, after: Permissions])[] = [
  [null, null],
  [{}, {}],
  [
    { organization: ["read"], subscription: ["read"] },
    { organization: ["read"], subscription: ["read"] },
  ],
  [{ organization: ["read", "write"] }, { organization: ["read", "write"], webhook_endpoint: ["write"] }],
  [
    { organization: ["write"], webhook_endpoint: ["read"] },
    { organization: ["write"], webhook_endpoint: ["read", "write"] },
  ],
  [
    { organization: ["write"], webhook_endpoint: ["read", "write"] },
    { organization: ["write"], webhook_endpoint: ["read", "write"] },
  ],
  [{ subscription: ["write"] }, { subscription: ["write"], plan_override: ["write"] }],
  [
    { plan: ["write"], customer: ["write"] },
    { plan: ["write"], customer: ["write"] },
  ],
];

beforeAll(async () => {
  await login.connect();
  await login.query(await readFile(join(import.meta.dirname, "bootstrap.sql"), "utf8"));
  await login.query("set role tallystick_owner");
  const names = (await readdir(folder)).sort();
  for (const name of names.slice(0, names.indexOf(MIGRATION))) await login.query(await readUp(name));
  // What the rows refer to is not there.
  await login.query("reset role; set session_replication_role = replica");
  for (const [index, [before]] of KEYS.entries())
    await login.query(
      `insert into api_keys (organization_id, id, key_id, token_hash, name, permissions, created_at)
       values ($1, $2, $3, decode(repeat('00', 32), 'hex'), 'key', $4, now())`,
      [id(1), id(100 + index), `key0000${index}`, before && JSON.stringify(before)],
    );
  await login.query(
    `insert into webhook_endpoints (organization_id, id, webhook_url, secret, created_at, updated_at)
     values ($1, $2, 'http://old.example', 'whsec_' || repeat('A', 43) || '=', now(), now())`,
    [id(1), id(2)],
  );
  await login.query("set session_replication_role = default; set role tallystick_owner");
  await login.query(`begin; ${await readUp(MIGRATION)}; commit; reset role`);
});
afterAll(() => login.end());

it.each(KEYS.map(([before, after], index) => [before, after, index] as const))(
  "a key with %j can do %j afterwards",
  async (_, after, index) => {
    const { rows } = await login.query("select permissions from api_keys where id = $1", [id(100 + index)]);
    expect(rows).toEqual([{ permissions: after }]);
  },
);

test("an endpoint keeps its algorithm, its URL and its secret, and receives every type", async () => {
  const { rows } = await login.query(
    "select webhook_url, signature_algo, name, event_types, old_secrets from webhook_endpoints",
  );
  expect(rows).toEqual([
    { webhook_url: "http://old.example", signature_algo: "jwt", name: null, event_types: null, old_secrets: [] },
  ]);
});

test("row level security is forced on keys as before", async () => {
  const { rows } = await login.query("select relforcerowsecurity as forced from pg_class where relname = 'api_keys'");
  expect(rows).toEqual([{ forced: true }]);
});
