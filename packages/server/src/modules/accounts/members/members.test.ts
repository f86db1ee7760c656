import { expect, it, test } from "vitest";
import { runOn } from "../../../platform/postgres/temporary-database.ts";
import { makeTestKey } from "../../../testing/make-test-key.ts";
import { makeTestPerson, type PersonOptions } from "../../../testing/make-test-person.ts";
import { makeTestOrganization, startTallystick } from "../../../testing/start-tallystick.ts";

const { platform, call } = await startTallystick();

async function freshOrganization() {
  const { id } = await makeTestOrganization(platform, "Fresh");
  const add = (options?: PersonOptions) => makeTestPerson(platform, id, options);
  const owner = await add();
  const as = (credential: string) => (method: "GET" | "POST" | "PUT" | "DELETE", path: string, body?: object) =>
    call(method, path, body, { key: credential });
  return { id, add, owner, as, asOwner: as(owner.credential) };
}

const toRole = (role: string) => ({ member: { role } });

test("an owner changes the role of a member, which applies within five seconds", async () => {
  const { add, as, asOwner } = await freshOrganization();
  const { userId, credential, email } = await add({ role: "support" });
  expect((await as(credential)("POST", "/taxes", { tax: { name: "V", code: "v", rate: "1" } })).status).toBe(403);
  const changed = await asOwner("PUT", `/members/${userId}`, toRole("finance"));
  expect(changed.body.member).toMatchObject({ svc_id: userId, email, role: "finance" });
  const create = () => as(credential)("POST", "/taxes", { tax: { name: "V", code: "v", rate: "1" } });
  await expect.poll(async () => (await create()).status, { timeout: 60_000 }).toBe(200);
});

test("a removed member reaches the organization no more, and others stay", async () => {
  const { add, as, asOwner } = await freshOrganization();
  const [gone, stays] = [await add({ role: "admin" }), await add({ role: "support" })];
  expect((await asOwner("DELETE", `/members/${gone.userId}`)).status).toBe(200);
  await expect
    .poll(async () => (await as(gone.credential)("GET", "/taxes")).body.code, { timeout: 60_000 })
    .toBe("organization_not_reached");
  expect((await as(stays.credential)("GET", "/taxes")).status).toBe(200);
});

test("the last owner can be neither removed nor given another role", async () => {
  const { owner, asOwner } = await freshOrganization();
  const refused = { status: 405, code: "last_owner" };
  expect((await asOwner("DELETE", `/members/${owner.userId}`)).body).toMatchObject(refused);
  expect((await asOwner("PUT", `/members/${owner.userId}`, toRole("admin"))).body).toMatchObject(refused);
  expect((await asOwner("PUT", `/members/${owner.userId}`, toRole("owner"))).status).toBe(200);
});

it.each(Array.from({ length: 5 }, (_, index) => index + 1))(
  "two owners who remove or demote each other at the same time leave one (%i)",
  async () => {
    const { add, owner, as, asOwner } = await freshOrganization();
    const other = await add();
    // From now on both sessions are known, and neither request waits for a look-up that sees what the other did.
    for (const { credential } of [owner, other]) await as(credential)("GET", "/members");
    const answers = await Promise.all([
      asOwner("DELETE", `/members/${other.userId}`),
      as(other.credential)("PUT", `/members/${owner.userId}`, toRole("support")),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 405]);
  },
);

test("the database keeps an owner where the code does not", async () => {
  const { id } = await freshOrganization();
  const { DATABASE_URL: url } = platform.config;
  for (const statement of ["delete from members", "update members set built_in_role = 'admin'"])
    await expect(runOn(url, `${statement} where organization_id = '${id}'`), statement).rejects.toThrow(
      "the organization would have no owner",
    );
});

test("nobody hands out more than they have, and touches nobody who may do more", async () => {
  const { add, owner, as } = await freshOrganization();
  const admin = as((await add({ role: "admin" })).credential);
  const member = await add({ role: "support" });
  const refused = { status: 403, code: "more_than_you_have" };
  expect((await admin("PUT", `/members/${member.userId}`, toRole("owner"))).body).toMatchObject(refused);
  expect((await admin("PUT", `/members/${owner.userId}`, toRole("support"))).body).toMatchObject(refused);
  expect((await admin("DELETE", `/members/${owner.userId}`)).body).toMatchObject(refused);
  expect(
    (await admin("POST", "/invitations", { invitation: { email: "o@example.com", role: "owner" } })).body,
  ).toMatchObject(refused);
  expect((await admin("PUT", `/members/${member.userId}`, toRole("admin"))).status).toBe(200);
  const permissions = [{ resource: "identity_provider", actions: ["write"] }];
  expect((await admin("POST", "/roles", { role: { code: "sso", name: "SSO", permissions } })).body).toMatchObject(
    refused,
  );

  const narrow = as((await add({ permissions: { member: ["read", "write"], tax: ["read"] } })).credential);
  expect((await narrow("PUT", `/members/${member.userId}`, toRole("support"))).body).toMatchObject(refused);
  expect(
    (await narrow("POST", "/invitations", { invitation: { email: "n@example.com", role: "support" } })).body,
  ).toMatchObject(refused);
});

test("a role of one's own is handed out, changed and deleted", async () => {
  const { add, as, asOwner } = await freshOrganization();
  const taxes = { role: { code: "taxes", name: "Taxes", permissions: [{ resource: "tax", actions: ["read"] }] } };
  expect((await asOwner("POST", "/roles", taxes)).body.role).toMatchObject({ code: "taxes", is_built_in: false });
  expect((await asOwner("POST", "/roles", taxes)).body.error_details).toEqual({ code: ["value_already_exist"] });
  expect((await asOwner("GET", "/roles")).body.roles.map(({ code }: { code: string }) => code)).toEqual([
    ...["owner", "admin", "finance", "developer", "support", "taxes"],
  ]);
  const { userId, credential } = await add({ role: "support" });
  expect((await asOwner("PUT", `/members/${userId}`, toRole("taxes"))).body.member.role).toBe("taxes");
  await expect.poll(async () => (await as(credential)("GET", "/plans")).status, { timeout: 60_000 }).toBe(403);
  expect((await as(credential)("GET", "/taxes")).status).toBe(200);
  expect((await asOwner("DELETE", "/roles/taxes")).body).toMatchObject({ status: 405, code: "role_in_use" });
  const plans = { role: { permissions: [{ resource: "plan", actions: ["read"] }] } };
  expect((await asOwner("PUT", "/roles/taxes", plans)).body.role).toMatchObject({ name: "Taxes", ...plans.role });
  await expect.poll(async () => (await as(credential)("GET", "/plans")).status, { timeout: 60_000 }).toBe(200);
  await asOwner("PUT", `/members/${userId}`, toRole("support"));
  expect((await asOwner("DELETE", "/roles/taxes")).status).toBe(200);
});

it.each(["owner", "admin", "finance", "developer", "support"])("the role %s is the same everywhere", async (code) => {
  const { asOwner } = await freshOrganization();
  const permissions = [{ resource: "tax", actions: ["read"] }];
  const role = { role: { code, name: "Mine", permissions } };
  expect((await asOwner("POST", "/roles", role)).body.error_details).toEqual({ code: ["value_already_exist"] });
  expect((await asOwner("PUT", `/roles/${code}`, { role: { name: "Mine" } })).body.code).toBe("role_is_built_in");
  expect((await asOwner("DELETE", `/roles/${code}`)).body.code).toBe("role_is_built_in");
});

test("a key with everything reaches neither members nor roles nor sign-in rules, unless it names them", async () => {
  const { id, as } = await freshOrganization();
  const everything = as((await makeTestKey(platform, id)).token);
  for (const [path, resource] of [
    ["/members", "member"],
    ["/invitations", "member"],
    ["/roles", "role"],
    ["/sign_in_rules", "identity_provider"],
  ] as const) {
    const code = `read_action_not_allowed_for_${resource}`;
    expect((await everything("GET", path)).body).toMatchObject({ status: 403, code });
    const naming = as((await makeTestKey(platform, id, { permissions: { [resource]: ["read"] } })).token);
    expect((await naming("GET", path)).status).toBe(200);
  }
  expect((await everything("GET", "/taxes")).status).toBe(200);
});

test("an unknown role is refused, also one of another organization", async () => {
  const { add, asOwner } = await freshOrganization();
  const other = await freshOrganization();
  const permissions = [{ resource: "tax", actions: ["read"] }];
  await other.asOwner("POST", "/roles", { role: { code: "theirs", name: "Theirs", permissions } });
  const { userId } = await add({ role: "support" });
  for (const role of ["theirs", "nothing", "toString"])
    expect((await asOwner("PUT", `/members/${userId}`, toRole(role))).body.error_details).toEqual({
      role: ["value_is_invalid"],
    });
});
