/** CRUD of identity providers through the API. Signing in through them: provider-sign-in.test.ts. */
import { expect, it, test } from "vitest";
import type { Permissions } from "../../../http/auth.ts";
import { makeTestKey } from "../../../testing/make-test-key.ts";
import { setUpOwner } from "../../../testing/set-up-person.ts";
import { startTallystick } from "../../../testing/start-tallystick.ts";
import { approveDomain, permissionsOf, withdrawDomain } from "../index.ts";

let now = Temporal.Instant.from("2026-11-19T12:00:00Z");
const service = await startTallystick({
  clock: { now: () => now },
  settings: { PUBLIC_URL: "https://billing.example.com" },
});
const { platform, organizations, call } = service;
const [one = "", two = ""] = organizations.map(({ id }) => id);
const keyOf = async (organizationId: string, permissions: Permissions = permissionsOf("owner")) => ({
  key: (await makeTestKey(platform, organizationId, { permissions })).token,
});
const [as, asOther] = [await keyOf(one), await keyOf(two)];

const PROVIDER = {
  ...{ name: "Company sign-in", issuer: "https://login.example.com", client_id: "tallystick" },
  ...{ client_secret: "of the provider", mail_domains: ["one.example", "one.example", "eins.example"] },
};
const create = (more: object = {}, by: object = as) =>
  call("POST", "/identity_providers", { identity_provider: { ...PROVIDER, ...more } }, by);
const change = (id: string, changes: object, by: object = as) =>
  call("PUT", `/identity_providers/${id}`, { identity_provider: changes }, by);

test("an identity provider is made, shown without its secret, changed and deleted", async () => {
  const { body, text } = await create();
  const made = body.identity_provider;
  expect(made).toEqual({
    svc_id: made.svc_id,
    ...{ name: "Company sign-in", issuer: "https://login.example.com", client_id: "tallystick" },
    mail_domains: ["one.example", "eins.example"],
    approved_mail_domains: [],
    ...{ enabled: true, auto_join_role: null, redirect_uri: "https://billing.example.com/session/oidc/callback" },
    ...{ created_at: "2026-11-19T12:00:00Z", updated_at: "2026-11-19T12:00:00Z" },
  });
  expect(text).not.toContain(PROVIDER.client_secret);
  await approveDomain(platform.dispatcherDb, { domain: "one.example", organizationId: one, now });
  now = now.add({ seconds: 1 });
  const changed = await change(made.svc_id, { name: "New", auto_join_role: "support", client_secret: "another" });
  expect(changed.text).not.toContain("another");
  const expected = {
    ...made,
    ...{ name: "New", auto_join_role: "support", updated_at: "2026-11-19T12:00:01Z" },
    mail_domains: ["one.example", "eins.example"],
    approved_mail_domains: ["one.example"],
  };
  const path = `/identity_providers/${made.svc_id}`;
  expect((await call("GET", path, undefined, as)).body.identity_provider).toEqual(expected);
  expect((await call("GET", "/identity_providers", undefined, as)).body.identity_providers).toEqual([expected]);
  expect((await call("DELETE", path, undefined, as)).body.identity_provider).toEqual(expected);
  expect((await call("GET", path, undefined, as)).body.code).toBe("identity_provider_not_found");
  await withdrawDomain(platform.dispatcherDb, "one.example");
});

test("another organization neither sees nor changes it, and does not learn of its domains", async () => {
  const { svc_id } = (await create()).body.identity_provider;
  await approveDomain(platform.dispatcherDb, { domain: "one.example", organizationId: one, now });
  for (const answer of [
    await call("GET", `/identity_providers/${svc_id}`, undefined, asOther),
    await change(svc_id, { enabled: false }, asOther),
    await call("DELETE", `/identity_providers/${svc_id}`, undefined, asOther),
  ])
    expect([answer.status, answer.body.code]).toEqual([404, "identity_provider_not_found"]);
  expect((await call("GET", "/identity_providers", undefined, asOther)).body.identity_providers).toEqual([]);
  expect((await create({}, asOther)).body.identity_provider.approved_mail_domains).toEqual([]);
});

it.each([
  ["issuer", "http://login.example.com"],
  ["issuer", "https://127.0.0.1"],
  ["issuer", "https://localhost"],
  ["issuer", "https://user:password@login.example.com"],
  ["issuer", "login.example.com"],
  ["mail_domains", ["One.example"]],
  ["mail_domains", ["localhost"]],
  ["mail_domains", ["ada@one.example"]],
  ["auto_join_role", "owner"],
  ["auto_join_role", "no such role"],
  ["client_secret", " "],
])("%s: %j is refused", async (member, value) => {
  const { status, body } = await create({ [member]: value });
  expect(status).toBe(422);
  expect(Object.keys(body.error_details)).toEqual([member]);
});

it.each([
  ["issuer", "https://other.example.com"],
  ["client_id", "other"],
])("%s cannot be changed: its subjects are other people", async (member, value) => {
  const { svc_id } = (await create()).body.identity_provider;
  const { identity_provider } = (await change(svc_id, { [member]: value })).body;
  expect(identity_provider[member]).toBe(PROVIDER[member as "issuer"]);
});

test("nobody lets people in with more than they may do themselves", async () => {
  const narrow = await keyOf(one, { identity_provider: ["read", "write"], customer: ["read"] });
  const { status, body } = await create({ auto_join_role: "finance" }, narrow);
  expect([status, body.code]).toEqual([403, "more_than_you_have"]);
});

test("a key needs the permission by name, and a person a recent proof", async () => {
  const { status, body } = await create({}, await keyOf(one, null));
  expect([status, body.code]).toEqual([403, "write_action_not_allowed_for_identity_provider"]);
  const { browser } = await setUpOwner(service, one);
  now = now.add({ minutes: 16 });
  const late = await browser.send("POST", "/api/v1/identity_providers", { identity_provider: PROVIDER }, one);
  expect([late.status, late.body.code]).toEqual([403, "proof_needed"]);
});
