import { expect, test } from "vitest";
import type { Permissions } from "../../../http/auth.ts";
import { runOn } from "../../../platform/postgres/temporary-database.ts";
import { type KeyOptions, makeTestKey } from "../../../testing/make-test-key.ts";
import { type Answer, type CallOptions, startTallystick } from "../../../testing/start-tallystick.ts";

let now = Temporal.Instant.from("2026-01-31T12:00:00Z");
const { call, platform, organizations } = await startTallystick({ clock: { now: () => now } });
const [{ id: organizationId } = { id: "" }, theirs = { id: "", key: "" }] = organizations;

const BOTH = ["read", "write"] as const;
const make = (options: KeyOptions = {}) => makeTestKey(platform, organizationId, options);
const create = (members: object, options?: CallOptions) =>
  call("POST", "/api_keys", { api_key: { name: "made", ...members } }, options);
const rotate = (keyId: string, body: object = {}, options?: CallOptions) =>
  call("POST", `/api_keys/${keyId}/rotate`, body, options);
const show = async (keyId: string) => (await call("GET", `/api_keys/${keyId}`)).body.api_key;
const statusWith = async (key: string, path = "/taxes") => (await call("GET", path, undefined, { key })).status;
const made = async (answer: Promise<Answer>) => {
  const { status, body, text } = await answer;
  expect(status, text).toBe(200);
  return body.api_key;
};
const codes = async (answers: readonly Promise<Answer>[]) =>
  (await Promise.all(answers)).map(({ status, body }) => body.code ?? status);

test("a key is created with its permissions, works at once, and shows its token only in that answer", async () => {
  const { token, ...key } = await made(
    create({ permissions: { tax: ["read"] }, expires_at: "2026-02-28T12:00:00+02:00" }),
  );
  expect(key).toEqual({
    key_id: token.slice(4, 12),
    name: "made",
    permissions: { tax: ["read"] },
    created_at: "2026-01-31T12:00:00Z",
    expires_at: "2026-02-28T10:00:00Z",
    revoked_at: null,
    last_used_at: null,
  });
  expect(await statusWith(token)).toBe(200);
  expect(await statusWith(token, "/customers")).toBe(403);
  expect(await show(key.key_id)).toEqual({ ...key, last_used_at: "2026-01-31T12:00:00Z" });
  const list = await call("GET", "/api_keys?sort=-created_at&limit=1");
  expect(list.body.api_keys[0].key_id).toBe(key.key_id);
  expect(list.text).not.toContain(token.slice(13, 45));
  expect((await call("GET", "/api_keys?search_term=ADE")).body.api_keys).toHaveLength(1);
});

test.each([
  ["everything", { "*": [...BOTH] }],
  ["read_only", { "*": ["read"] }],
  ["ingest", { event: [...BOTH] }],
  ["billing", expect.objectContaining({ invoice: [...BOTH], plan: ["read"], organization: ["read"] })],
])("the preset %s stands for permissions", async (preset, permissions) => {
  expect(await made(create({ preset }))).toMatchObject({ permissions });
});

test.each([
  [{}, { permissions: ["value_is_mandatory"] }],
  [{ permissions: {} }, { permissions: ["value_is_mandatory"] }],
  [{ permissions: { tax: [] } }, { permissions: ["value_is_mandatory"] }],
  [{ permissions: { tax: ["read"] }, preset: "ingest" }, { preset: ["preset_and_permissions"] }],
  [{ permissions: { invoices: ["read"] } }, { invoices: ["unknown_member"] }],
  [{ permissions: { tax: ["delete"] } }, { tax: ["value_is_invalid"] }],
  [{ preset: "root" }, { preset: ["value_is_invalid"] }],
  [{ preset: "ingest", expires_at: "2026-01-31T12:00:00Z" }, { expires_at: ["invalid_date"] }],
  [{ preset: "ingest", name: " " }, { name: ["value_is_mandatory"] }],
])("a key with %j is refused", async (members, details) => {
  expect((await create(members)).body).toMatchObject({ status: 422, error_details: details });
});

test("a key with everything reaches no keys, because it does not name them", async () => {
  const { token } = await make();
  expect([await statusWith(token), await statusWith(token, "/held_invoices")]).toEqual([200, 200]);
  expect((await call("GET", "/api_keys", undefined, { key: token })).body).toMatchObject({
    status: 403,
    code: "read_action_not_allowed_for_api_key",
  });
  expect((await create({ preset: "ingest" }, { key: token })).body.code).toBe("write_action_not_allowed_for_api_key");
  const everything = await make({ permissions: { "*": [...BOTH], api_key: ["read"] } });
  expect([await statusWith(everything.token), await statusWith(everything.token, "/api_keys")]).toEqual([200, 200]);
});

test.each<[Permissions, object, number]>([
  [{ api_key: ["write"], tax: ["read"] }, { permissions: { tax: ["read"] } }, 200],
  [{ api_key: ["write"], tax: ["read"] }, { permissions: { tax: [...BOTH] } }, 403],
  [{ api_key: ["write"], tax: [...BOTH] }, { permissions: { customer: ["read"] } }, 403],
  [{ api_key: ["write"], tax: [...BOTH] }, { permissions: { "*": ["read"] } }, 403],
  [{ api_key: ["write"] }, { permissions: { api_key: [...BOTH] } }, 403],
  [{ api_key: ["write"] }, { permissions: { api_key: ["write"] } }, 200],
  [{ api_key: ["write"], "*": ["read"] }, { preset: "everything" }, 403],
  [{ api_key: ["write"], "*": ["read"] }, { preset: "read_only" }, 200],
  [{ api_key: ["write"], "*": [...BOTH] }, { preset: "everything" }, 200],
  [{ api_key: ["write"], "*": [...BOTH] }, { preset: "billing" }, 200],
  [{ api_key: ["write"], "*": [...BOTH] }, { permissions: { api_key: ["read"] } }, 403],
])("a key with %j that hands out %j gets %i", async (permissions, members, status) => {
  const { token: key } = await make({ permissions });
  const answer = await create(members, { key });
  expect([answer.status, answer.body.code]).toEqual([status, status === 200 ? undefined : "permissions_exceed_caller"]);
});

test("a key cannot get more permissions by rotating a key that has more", async () => {
  const { token: key } = await make({ permissions: { api_key: ["write"] } });
  const strong = await make();
  expect((await rotate(strong.keyId, {}, { key })).body).toMatchObject({ code: "permissions_exceed_caller" });
  expect(await statusWith(strong.token)).toBe(200);
  expect(await show(strong.keyId)).toMatchObject({ expires_at: null });
});

test("a key that expires makes no life longer than its own: neither of a new key, nor by rotation of itself or another", async () => {
  const permissions: Permissions = { api_key: [...BOTH] };
  const expiresAt = now.add({ hours: 1 });
  const { keyId, token: key } = await make({ permissions, expiresAt });
  const eternal = await make({ permissions });
  expect(
    await codes([
      create({ permissions }, { key }),
      create({ permissions, expires_at: null }, { key }),
      create({ permissions, expires_at: expiresAt.add({ seconds: 1 }).toString() }, { key }),
      rotate(eternal.keyId, {}, { key }),
    ]),
  ).toEqual(Array(4).fill("expiry_exceeds_caller"));
  expect(await made(create({ permissions, expires_at: expiresAt.toString() }, { key }))).toBeDefined();
  const own = await made(rotate(keyId, { overlap_seconds: 600_000 }, { key }));
  expect(own.expires_at).toBe(expiresAt.toString());
  expect(await show(keyId)).toMatchObject({ expires_at: expiresAt.toString(), revoked_at: null });
});

test("in its overlap, a rotated key hands out no life beyond the overlap", async () => {
  const permissions: Permissions = { api_key: [...BOTH] };
  const { keyId, token: key } = await make({ permissions });
  await made(rotate(keyId, { overlap_seconds: 60 }, { key }));
  expect((await create({ permissions }, { key })).body.code).toBe("expiry_exceeds_caller");
});

test("a rotation keeps name and permissions, and the old key works until the overlap ends, 24 hours by default", async () => {
  const old = await make({ permissions: { tax: ["read"] } });
  const fresh = await made(rotate(old.keyId));
  expect(fresh).toMatchObject({ name: "test", permissions: { tax: ["read"] }, expires_at: null });
  expect(await show(old.keyId)).toMatchObject({ expires_at: "2026-02-01T12:00:00Z", revoked_at: null });
  expect([await statusWith(old.token), await statusWith(fresh.token)]).toEqual([200, 200]);
  const noOverlap = await made(rotate(fresh.key_id, { overlap_seconds: 0 }));
  expect([await statusWith(noOverlap.token), (await show(fresh.key_id)).revoked_at]).toEqual([200, now.toString()]);
  for (const overlap_seconds of [-1, 604_801, 1.5, "60"])
    expect((await rotate(noOverlap.key_id, { overlap_seconds })).status).toBe(422);
});

test("a key is replaced once, also by rotations at once; a revoked or expired key is not replaced", async () => {
  const { keyId } = await make();
  const answers = await Promise.all([1, 2, 3].map(() => rotate(keyId)));
  expect(answers.map(({ body }) => body.code ?? "made").sort()).toEqual([
    ...["api_key_already_rotated", "api_key_already_rotated", "made"],
  ]);
  const revoked = await make({ isRevoked: true });
  const expired = await make({ expiresAt: now });
  expect(await codes([rotate(revoked.keyId), rotate(expired.keyId), rotate("aaaaaaaa")])).toEqual([
    ...["api_key_has_ended", "api_key_has_ended", "api_key_not_found"],
  ]);
});

test("a key that rotates itself several times at once is replaced once", async () => {
  const { keyId, token: key } = await make({ permissions: { api_key: ["write"] } });
  const answers = await Promise.all([1, 2, 3].map(() => rotate(keyId, {}, { key })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 405, 405]);
});

test("a key revokes others and itself, repeatedly without a change, and nothing of another organization", async () => {
  const { keyId, token: key } = await make({ permissions: { api_key: ["write"] } });
  const byThem = { key: theirs.key };
  expect((await call("DELETE", `/api_keys/${keyId}`, undefined, byThem)).body.code).toBe("api_key_not_found");
  expect((await rotate(keyId, {}, byThem)).body.code).toBe("api_key_not_found");
  const revokedAt = now.toString();
  expect(await made(call("DELETE", `/api_keys/${keyId}`, undefined, { key }))).toMatchObject({ revoked_at: revokedAt });
  now = now.add({ minutes: 1 });
  expect(await made(call("DELETE", `/api_keys/${keyId}`))).toMatchObject({ revoked_at: revokedAt });
});

test("a key that was just revoked makes and rotates no key, although requests may still know it", async () => {
  const permissions: Permissions = { api_key: [...BOTH] };
  const { keyId, token: key } = await make({ permissions });
  const other = await make({ permissions });
  // Requests know it for some seconds from here on.
  expect(await statusWith(key, "/api_keys")).toBe(200);
  await made(call("DELETE", `/api_keys/${keyId}`));
  expect(await codes([create({ permissions }, { key }), rotate(other.keyId, {}, { key })])).toEqual([
    ...["api_key_ended", "api_key_ended"],
  ]);
});

test("the same request repeats the token to the same caller, and to no other; it is stored sealed", async () => {
  const { token: weak } = await make({ permissions: { api_key: ["write"] } });
  const headers = { "idempotency-key": "once" };
  const first = await made(create({ preset: "everything" }, { headers }));
  expect(await made(create({ preset: "everything" }, { headers }))).toEqual(first);
  expect((await create({ preset: "everything" }, { headers, key: weak })).body).toMatchObject({
    error_details: { idempotency_key: ["value_already_exist"] },
  });
  const stored = await runOn<{ answer: string }>(
    platform.config.DATABASE_URL,
    "select answer::text from idempotency_keys where key = 'once'",
  );
  expect(stored).toHaveLength(1);
  expect(stored[0]?.answer).not.toContain(first.token.slice(13, 45));
});
