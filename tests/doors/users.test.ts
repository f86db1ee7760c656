// `npm run users -- …` as an operator runs it.

import { afterAll, beforeAll, expect, test } from "vitest";
import {
  createTemporaryDatabase,
  runOn,
  type TemporaryDatabase,
} from "../../packages/server/src/platform/postgres/temporary-database.ts";
import { type End, PUBLIC_URL, passDoor } from "./door.ts";

let database: TemporaryDatabase;
let organization: string;

const run = (command: string, ...args: string[]): Promise<End> =>
  passDoor(["run", "-s", command, "--", ...args], { DATABASE_URL: database.url, PUBLIC_URL });
const users = (...args: string[]): Promise<End> => run("users", ...args);

beforeAll(async () => {
  database = await createTemporaryDatabase(undefined);
  const { stdout } = await run("organizations", "create", "--name", "Acme");
  organization = /^organization {2}(\S+)/.exec(stdout)?.[1] ?? "";
});
afterAll(() => database?.remove());

/** What a successful command says. */
const said = async (...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await users(...args);
  expect([code, stderr]).toEqual([0, ""]);
  return stdout;
};
const ofAda = ["--email", "Ada@acme.example"];
const link = (page: string, time: string): RegExp =>
  new RegExp(`^Open ${RegExp.escape(PUBLIC_URL)}/${page}#[\\w-]{43} {3}\\(${time}, once\\)\n$`);

test("people are made, invited, listed, disabled and enabled, and get links", async () => {
  const owner = ["create-owner", "--organization", organization, ...ofAda, "--name", "Ada"];
  expect(await said(...owner)).toMatch(link("password-reset", "30 minutes"));
  expect(await users(...owner)).toMatchObject({ code: 1, stderr: expect.stringContaining("is a member already") });
  const invited = ["--organization", organization, "--email", "bob@acme.example", "--role", "finance"];
  expect(await said("invite", ...invited)).toMatch(link("invitation", "7 days"));
  expect(await said("reset", ...ofAda)).toMatch(link("password-reset", "30 minutes"));
  expect(await said("disable", ...ofAda)).toMatch(/^ada@acme\.example is signed out within 5 seconds/);
  expect(await said("list")).toMatch(
    new RegExp(`^\\S+ {2}disabled {2}ada@acme\\.example {2}owner of ${organization} {2}Ada\n$`),
  );
  expect(await users("reset", ...ofAda)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("No person who may sign in"),
  });
  expect(await said("enable", ...ofAda)).toBe("ada@acme.example can sign in again\n");
  expect(await said("remove-factors", ...ofAda)).toContain("signs in with the password alone");
  expect(await said("relax-sign-in", "--organization", organization)).toContain("a password is enough");
});

test("a domain is approved for one organization, and withdrawing it ends the sessions that its provider began", async () => {
  const approve = ["approve-domain", "--organization", organization, "--domain", "Acme.example"];
  expect(await said(...approve)).toContain(`acme.example sign in through the identity provider of ${organization}`);
  expect(await said("domains")).toMatch(new RegExp(`^acme\\.example {2}${organization} {2}since \\S+Z\n$`));
  await said("create-owner", "--organization", organization, "--email", "eve@acme.example", "--name", "Eve");
  await runOn(
    database.url,
    `insert into sessions (id, token_hash, user_id, methods, created_at, proved_at, last_used_at, address)
     select gen_random_uuid(), sha256(method::bytea), id, array[method], now(), now(), now(), '127.0.0.1'
     from users, unnest(array['oidc:1', 'password']) as method where email = 'eve@acme.example'`,
  );
  expect(await said("withdraw-domain", "--domain", "acme.example")).toContain("sessions through a provider end");
  const live = await runOn(database.url, "select methods from sessions where revoked_at is null");
  expect(live).toEqual([{ methods: ["password"] }]);
  expect(await said("domains")).toBe("");
  expect((await users("withdraw-domain", "--domain", "acme.example")).code).toBe(1);
});
