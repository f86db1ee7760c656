import { crc32 } from "node:zlib";
import pg from "pg";
import { expect, it, test } from "vitest";
import { inOrganization } from "../../../platform/postgres/database.ts";
import { type KeyOptions, makeTestKey, makeUnknownKey } from "../../../testing/make-test-key.ts";
import { startSecondProcess } from "../../../testing/start-second-process.ts";
import { startTallystick } from "../../../testing/start-tallystick.ts";
import { listKeys, parsePermissions, revokeKey, rotateKey } from "./index.ts";
import { keyIdOf, makeToken } from "./token.ts";

let now = Temporal.Instant.from("2026-01-31T12:00:00Z");
const { platform, call, organizations } = await startTallystick({ clock: { now: () => now } });
const [{ id: organizationId, key: firstKey } = { id: "", key: "" }] = organizations;

const make = (options: KeyOptions = {}) => makeTestKey(platform, organizationId, options);
const statusWith = async (key: string) => (await call("GET", "/taxes", undefined, { key })).status;
const revoke = (keyId: string) =>
  inOrganization(platform.db, organizationId, (tx) => revokeKey(tx, organizationId, keyId, now));
const rotate = (keyId: string, oldKeyWorksUntil: Temporal.Instant) =>
  inOrganization(platform.db, organizationId, (tx) => rotateKey(tx, organizationId, { keyId, now, oldKeyWorksUntil }));
const shown = async (keyId: string) => {
  const keys = await inOrganization(platform.db, organizationId, (tx) => listKeys(tx, organizationId));
  return keys.find((key) => key.key_id === keyId);
};
const lastUsed = async (keyId: string) => (await shown(keyId))?.last_used_at?.toString();

/** The checksum as its documentation says it, so that the code is not compared with itself. */
function checksumOf(text: string): string {
  const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  let rest = BigInt(crc32(text));
  return Array.from({ length: 6 }, () => {
    const digit = digits[Number(rest % 62n)] ?? "";
    rest /= 62n;
    return digit;
  })
    .reverse()
    .join("");
}

test("a token is tsk_, 8 characters of id, 32 of secret and 6 of checksum", () => {
  const tokens = Array.from({ length: 200 }, makeToken);
  for (const { token, keyId } of tokens) {
    expect(token).toMatch(/^tsk_[0-9A-Za-z]{8}_[0-9A-Za-z]{32}_[0-9A-Za-z]{6}$/);
    expect(token.slice(4, 12)).toBe(keyId);
    expect(token.slice(-6)).toBe(checksumOf(token.slice(0, -7)));
    expect(keyIdOf(token)).toBe(keyId);
  }
  expect(new Set(tokens.map(({ token }) => token.slice(13, 45))).size).toBe(200);
});

test("a token with one changed character, at any place, is not recognized as a token", () => {
  const { token } = makeToken();
  for (const [index, character] of [...token].entries()) {
    const other = character === "a" ? "b" : "a";
    expect(keyIdOf(token.slice(0, index) + other + token.slice(index + 1)), `at ${index}`).toBeUndefined();
  }
  for (const text of ["", " ", token.toLowerCase(), ` ${token}`, `${token}\n`, token.replaceAll("_", "-")])
    expect(keyIdOf(text)).toBeUndefined();
});

test("the right id with a wrong secret is refused", async () => {
  const { keyId, token } = await make();
  const guess = `tsk_${keyId}_${"0".repeat(32)}`;
  expect(await statusWith(`${guess}_${checksumOf(guess)}`)).toBe(401);
  expect(await statusWith(token)).toBe(200);
  expect(await statusWith(`${guess}_${checksumOf(guess)}`)).toBe(401);
});

test("the database stores only the hash of a token, never its text", async () => {
  const { token } = await make({ permissions: { tax: ["read"] } });
  await call("GET", "/taxes", undefined, { key: token });
  await call("POST", "/taxes", { tax: { name: "A", code: "a", rate: "1" } }, { headers: { "idempotency-key": "a" } });
  const client = new pg.Client({ connectionString: platform.config.DATABASE_URL });
  await client.connect();
  const tables = await client.query<{ name: string }>(
    `select schemaname || '.' || quote_ident(tablename) as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema')`,
  );
  let characters = 0;
  for (const { name } of tables.rows) {
    const { rows } = await client.query<{ row: string }>(`select t::text as row from ${name} t`);
    const dump = rows.map(({ row }) => row).join("\n");
    characters += dump.length;
    for (const secret of [token, firstKey].flatMap(formsOf)) expect(dump, name).not.toContain(secret);
  }
  await client.end();
  expect(characters).toBeGreaterThan(1000);
});

/** The secret part as text, and as a bytea column would show it. */
function formsOf(token: string): string[] {
  const secret = token.slice(13, 45);
  return [secret, Buffer.from(secret).toString("hex"), Buffer.from(secret).toString("base64").slice(0, 40)];
}

test("a key without a list of permissions may do everything; a key with a list may do only what the list allows", async () => {
  const all = await make();
  const some = await make({ permissions: parsePermissions("tax:read, customer:read+write") });
  const create = (key: string) => call("POST", "/taxes", { tax: { name: "P", code: key, rate: "1" } }, { key });
  expect((await create(all.token)).status).toBe(200);
  expect(await statusWith(some.token)).toBe(200);
  expect((await create(some.token)).body).toMatchObject({
    status: 403,
    error: "Forbidden",
    code: "write_action_not_allowed_for_tax",
  });
  expect((await call("GET", "/organizations", undefined, { key: some.token })).status).toBe(403);
});

it.each([
  ["invoices:read", /"invoices" is not a resource/],
  ["tax:delete", /write tax:read, tax:write or tax:read\+write/],
  ["tax", /write tax:read/],
  ["", /is not a resource/],
])("the permissions %j are refused with an explanation", (text, message) => {
  expect(() => parsePermissions(text)).toThrow(message);
});

test("a key works until its expiry and no longer", async () => {
  const { token } = await make({ expiresAt: now.add({ hours: 1 }) });
  expect(await statusWith(token)).toBe(200);
  now = now.add({ hours: 1 }).subtract({ microseconds: 1 });
  expect(await statusWith(token)).toBe(200);
  now = now.add({ microseconds: 1 });
  expect(await statusWith(token)).toBe(401);
});

test("after a rotation both keys work until the overlap ends, and then only the new one", async () => {
  const old = await make({ permissions: { tax: ["read"] } });
  const fresh = await rotate(old.keyId, now.add({ hours: 24 }));
  const both = async () => [await statusWith(old.token), await statusWith(fresh.token)];
  expect(await both()).toEqual([200, 200]);
  now = now.add({ hours: 23 });
  expect(await both()).toEqual([200, 200]);
  now = now.add({ hours: 1 });
  expect(await both()).toEqual([401, 200]);
  expect(await shown(fresh.keyId)).toMatchObject({ name: "test", permissions: { tax: ["read"] } });
});

test("a rotation extends the life of no key, and cannot revive an expired one", async () => {
  const expiresAt = now.add({ minutes: 5 });
  const brief = await make({ expiresAt });
  const fresh = await rotate(brief.keyId, now.add({ hours: 24 }));
  expect((await shown(brief.keyId))?.expires_at).toEqual(expiresAt);
  expect((await shown(fresh.keyId))?.expires_at).toEqual(expiresAt);
  now = expiresAt;
  expect(await statusWith(brief.token)).toBe(401);
  await expect(rotate(brief.keyId, now.add({ hours: 24 }))).rejects.toThrow("api_key_has_ended");
  expect(await statusWith(brief.token)).toBe(401);
});

test("a rotation without overlap ends the old key at once", async () => {
  const old = await make();
  const fresh = await rotate(old.keyId, now);
  expect([await statusWith(old.token), await statusWith(fresh.token)]).toEqual([401, 200]);
  await expect(rotate(old.keyId, now.add({ hours: 1 }))).rejects.toThrow("api_key_has_ended");
});

test("a key is revoked once, and only by its own organization", async () => {
  const { keyId, token } = await make();
  const [, other = { id: "" }] = organizations;
  const byOther = inOrganization(platform.db, other.id, (tx) => revokeKey(tx, other.id, keyId, now));
  await expect(byOther).rejects.toThrow("api_key_not_found");
  expect(await shown(keyId)).toMatchObject({ revoked_at: null });
  const revokedAt = now;
  await revoke(keyId);
  now = now.add({ minutes: 1 });
  expect(await revoke(keyId)).toMatchObject({ revoked_at: revokedAt });
  expect(await statusWith(token)).toBe(401);
});

// Retried, because a slow machine may pause for seconds.
test("a revoked key is refused by every process within 5 seconds", { retry: 2 }, async () => {
  const { keyId, token } = await make();
  const address = await startSecondProcess(platform.config.DATABASE_URL);
  // An unknown path: it answers 404 while the key works, and does no work besides authentication.
  const elsewhere = async (): Promise<number> => {
    const response = await fetch(`${address}/api/v1/nowhere`, { headers: { authorization: `Bearer ${token}` } });
    await response.arrayBuffer();
    return response.status;
  };
  expect([await statusWith(token), await elsewhere()]).toEqual([200, 404]);
  const revokedAt = performance.now();
  await revoke(keyId);
  while ((await elsewhere()) !== 401 && performance.now() - revokedAt < 10_000);
  expect(performance.now() - revokedAt).toBeLessThan(5_000);
  while ((await statusWith(token)) !== 401 && performance.now() - revokedAt < 10_000);
  expect(performance.now() - revokedAt).toBeLessThan(5_000);
});

test("the last use of a key is written at most once a minute", async () => {
  const { keyId, token } = await make();
  expect(await lastUsed(keyId)).toBeUndefined();
  const first = now;
  await Promise.all(Array.from({ length: 10 }, () => statusWith(token)));
  expect(await lastUsed(keyId)).toBe(first.toString());
  now = first.add({ seconds: 59 });
  await statusWith(token);
  expect(await lastUsed(keyId)).toBe(first.toString());
  now = first.add({ seconds: 60 });
  await statusWith(token);
  expect(await lastUsed(keyId)).toBe(now.toString());
});

test("a refused request does not count as a use of the key", async () => {
  const wrongSecret = await make();
  const guess = `tsk_${wrongSecret.keyId}_${"0".repeat(32)}`;
  const revoked = await make({ isRevoked: true });
  const expired = await make({ expiresAt: now });
  for (const token of [`${guess}_${checksumOf(guess)}`, revoked.token, expired.token])
    expect(await statusWith(token)).toBe(401);
  for (const { keyId } of [wrongSecret, revoked, expired]) expect(await lastUsed(keyId)).toBeUndefined();
  expect(await statusWith(await makeUnknownKey(platform, organizationId))).toBe(401);
});
