/** Signing in through a provider of an organization, against a real one on loopback. */
import { beforeEach, describe, expect, it, test } from "vitest";
import { systemClock } from "../../../platform/clock.ts";
import { codeAt } from "../../../testing/authenticator-app.ts";
import { openBrowser } from "../../../testing/open-browser.ts";
import { PASSWORD, type Person, setUpOwner } from "../../../testing/set-up-person.ts";
import { CLIENT, newSigningKey, startOidcProvider } from "../../../testing/start-oidc-provider.ts";
import { startTallystick } from "../../../testing/start-tallystick.ts";
import { approveDomain, listUsers } from "../index.ts";

const ORIGIN = "http://localhost:4567";
let now = systemClock.now();
const pass = (duration: Temporal.DurationLike) => {
  now = now.add(duration);
};
const provider = await startOidcProvider(`${ORIGIN}/session/oidc/callback`);
const service = await startTallystick({
  clock: { now: () => now },
  settings: { PUBLIC_URL: ORIGIN, OUTBOUND_TRUSTED_HOSTS: "localhost" },
});
const { app, organizations, platform } = service;
const [one = "", two = ""] = organizations.map(({ id }) => id);
const [ownerOne, ownerTwo] = [await setUpOwner(service, one), await setUpOwner(service, two)];

const makeProvider = async (owner: Person, more: object = {}) => {
  const { issuer } = provider;
  const body = { name: "Company sign-in", issuer, ...CLIENT, mail_domains: ["one.example"], ...more };
  const { browser, organizationId } = owner;
  const made = await browser.send("POST", "/api/v1/identity_providers", { identity_provider: body }, organizationId);
  expect(made.status, JSON.stringify(made.body)).toBe(200);
  return made.body.identity_provider;
};
const approve = (domain: string, organizationId: string) =>
  approveDomain(platform.dispatcherDb, { domain, organizationId, now });
const change = ({ browser, organizationId }: Person, id: string, changes: object) =>
  browser.send("PUT", `/api/v1/identity_providers/${id}`, { identity_provider: changes }, organizationId);

const { svc_id: providerId } = await makeProvider(ownerOne, {
  auto_join_role: "support",
  mail_domains: ["one.example", "later.example"],
});
await approve("one.example", one);

/** Owners prove again who they are before they change how people sign in. */
beforeEach(async () => {
  for (const { browser } of [ownerOne, ownerTwo]) await browser.send("POST", "/session/proofs", { password: PASSWORD });

  for (const fault of Object.keys(provider.faults)) delete provider.faults[fault as keyof typeof provider.faults];
});

let count = 0;
/** A person at the provider. */
function newAccount(more: object = {}): { subject: string; email: string } {
  count++;
  const [subject, email] = [`subject-${count}`, `ada${count}@one.example`];
  provider.accounts.set(subject, { email, email_verified: true, name: "Ada", ...more });
  return { subject, email };
}

type Account = { subject: string; email: string };

const begin = (browser: Person["browser"], email: string) => browser.send("POST", "/session/oidc", { email });
const pathOf = (url: string): string => url.slice(ORIGIN.length);

/** Up to the return of the browser. */
async function visit({ subject, email }: Account, browser = openBrowser(app)) {
  const { authorization_url: url } = (await begin(browser, email)).body;
  return { browser, callback: pathOf(await provider.visit(url, subject)) };
}
async function signIn(account: Account, within?: Person["browser"]) {
  const { browser, callback } = await visit(account, within);
  const { status, headers } = await browser.arrive(callback);
  expect(status).toBe(303);
  return { browser, location: String(headers.location) };
}
const SIGNED_IN = `${ORIGIN}/`;
const refusedWith = (code: string) => `${ORIGIN}/sign-in?problem=${code}`;
const sessionOf = async (browser: Person["browser"]) => (await browser.send("GET", "/session")).body.session;
const reach = async (browser: Person["browser"], organizationId: string) => {
  const { status, body } = await browser.send("GET", "/api/v1/taxes", undefined, organizationId);
  return status === 200 ? "reached" : body.code;
};

describe("a sign-in through the provider of an organization", () => {
  test("makes a member of its role, whose session proves only what the provider may say", async () => {
    const account = newAccount();
    const { browser, location } = await signIn(account);
    expect(location).toBe(SIGNED_IN);
    const session = await sessionOf(browser);
    expect(session).toMatchObject({
      user: { email: account.email, name: "Ada" },
      methods: [`oidc:${providerId}`],
      organizations: [{ id: one, role: "support", obstacle: null }],
    });
    expect(await reach(browser, one)).toBe("reached");
    expect(await reach(browser, two)).toBe("organization_not_reached");
  });

  test("begins with code, PKCE, state and nonce; other addresses get the same kind of answer, without a URL", async () => {
    const { body } = await begin(openBrowser(app), newAccount().email);
    const { searchParams: query } = new URL(body.authorization_url);
    expect(Object.fromEntries(query)).toMatchObject({
      response_type: "code",
      code_challenge_method: "S256",
      scope: "openid email profile",
      redirect_uri: `${ORIGIN}/session/oidc/callback`,
    });
    for (const name of ["state", "nonce", "code_challenge"]) expect(query.get(name)?.length).toBeGreaterThan(40);
    for (const email of ["ada@nowhere.example", "no address", "@one.example.attacker.example"])
      expect(await begin(openBrowser(app), email)).toMatchObject({ status: 200, body: { authorization_url: null } });
  });

  test("goes on after the provider has changed its keys", async () => {
    const account = newAccount();
    expect((await signIn(account)).location).toBe(SIGNED_IN);
    provider.rotateKeys();
    expect((await signIn(account)).location).toBe(SIGNED_IN);
  });

  test("finds the same person again after the mail address has changed there", async () => {
    const account = newAccount();
    const first = await sessionOf((await signIn(account)).browser);
    provider.accounts.set(account.subject, { email: "other@elsewhere.example", email_verified: false });
    expect((await sessionOf((await signIn(account)).browser)).user).toEqual(first.user);
  });

  test("links a member by a verified address", async () => {
    const account = newAccount();
    const member = await setUpOwner(service, one, account.email);
    const { browser } = await signIn(account);
    const [linked, own] = [await sessionOf(browser), await sessionOf(member.browser)];
    expect(linked.user).toEqual(own.user);
  });

  test("gives an account that the organization does not know to its owner only", async () => {
    const account = newAccount();
    const stranger = await setUpOwner(service, two, account.email);
    expect((await signIn(account)).location).toBe(refusedWith("account_exists"));
    expect((await signIn(account, stranger.browser)).location).toBe(SIGNED_IN);
    expect((await signIn(account)).location).toBe(SIGNED_IN);
  });

  test("brings nobody back who was removed, until an invitation does", async () => {
    const account = newAccount();
    const { user } = await sessionOf((await signIn(account)).browser);
    const removed = await ownerOne.browser.send("DELETE", `/api/v1/members/${user.id}`, undefined, one);
    expect(removed.status).toBe(200);
    expect((await signIn(account)).location).toBe(refusedWith("not_a_member"));
    const invitation = { invitation: { email: account.email, role: "finance" } };
    expect((await ownerOne.browser.send("POST", "/api/v1/invitations", invitation, one)).status).toBe(200);
    const { browser } = await signIn(account);
    expect((await sessionOf(browser)).organizations).toMatchObject([{ id: one, role: "finance" }]);
  });
});

describe("an answer that cannot be trusted makes no session", () => {
  const HOUR = 3600;
  it.each<[string, (payload: Record<string, unknown>) => Record<string, unknown>]>([
    ["for another client", (payload) => ({ ...payload, aud: "another-client" })],
    ["of another issuer", (payload) => ({ ...payload, iss: "https://attacker.example" })],
    ["that has expired", (payload) => ({ ...payload, exp: Number(payload.exp) - 2 * HOUR })],
    ["with another nonce", (payload) => ({ ...payload, nonce: "x".repeat(43) })],
  ])("%s", async (_, idToken) => {
    const account = newAccount();
    provider.faults.idToken = (payload) => payload;
    expect((await signIn(account)).location, "as it is").toBe(SIGNED_IN);
    provider.faults.idToken = idToken;
    const { browser, location } = await signIn(account);
    expect(location).toBe(refusedWith("provider_answer_invalid"));
    expect((await browser.send("GET", "/session")).status).toBe(401);
  });

  test("signed with another key", async () => {
    provider.faults.signedBy = newSigningKey();
    expect((await signIn(newAccount())).location).toBe(refusedWith("provider_answer_invalid"));
  });

  test("with a code that was used", async () => {
    const account = newAccount();
    const first = await visit(account);
    const code = new URL(first.callback, ORIGIN).searchParams.get("code") ?? "";
    expect((await first.browser.arrive(first.callback)).headers.location).toBe(SIGNED_IN);
    const second = await visit(account);
    const replayed = new URL(second.callback, ORIGIN);
    replayed.searchParams.set("code", code);
    const { headers } = await second.browser.arrive(replayed.pathname + replayed.search);
    expect(headers.location).toBe(refusedWith("provider_answer_invalid"));
  });

  test("with a state that was used, of another browser, or older than 10 minutes", async () => {
    const account = newAccount();
    const { browser, callback } = await visit(account);
    expect((await openBrowser(app).arrive(callback)).headers.location).toBe(refusedWith("provider_sign_in_unknown"));
    expect((await browser.arrive(callback)).headers.location).toBe(SIGNED_IN);
    expect((await browser.arrive(callback)).headers.location).toBe(refusedWith("provider_sign_in_unknown"));
    const late = await visit(account);
    pass({ minutes: 10 });
    const { headers } = await late.browser.arrive(late.callback);
    expect(headers.location).toBe(refusedWith("provider_sign_in_unknown"));
  });

  test("which says that the person may not", async () => {
    const { browser, callback } = await visit(newAccount());
    const state = new URL(callback, ORIGIN).searchParams.get("state") ?? "";
    const query = new URLSearchParams({ error: "access_denied", state, iss: provider.issuer });
    const { headers } = await browser.arrive(`/session/oidc/callback?${query}`);
    expect(headers.location).toBe(refusedWith("provider_refused"));
  });

  it.each([
    ["is not verified", { email_verified: false }, "mail_not_verified"],
    ["is verified in other words", { email_verified: "true" }, "mail_not_verified"],
    ["is missing", { email: undefined }, "mail_not_verified"],
    ["is of a domain that the operator has not approved", { email: "ada@later.example" }, "mail_domain_not_approved"],
    ["is of a domain that the provider does not name", { email: "ada@two.example" }, "mail_domain_not_approved"],
    ["ends like an approved domain", { email: "ada@not-one.example" }, "mail_domain_not_approved"],
  ])("whose mail address %s", async (_, claims, code) => {
    expect((await signIn(newAccount(claims))).location).toBe(refusedWith(code));
  });
});

describe("a provider of one organization", () => {
  test("has no rights in another: the person proves itself there", async () => {
    const account = newAccount();
    const both = await setUpOwner(service, one, account.email);
    await join(both, ownerTwo, "admin");
    const { browser } = await signIn(account);
    expect([await reach(browser, one), await reach(browser, two)]).toEqual(["reached", "own_sign_in_needed"]);
    const obstacles = (await sessionOf(browser)).organizations.map(({ obstacle }: { obstacle: string }) => obstacle);
    expect(obstacles).toEqual([null, "own_sign_in_needed"]);
    expect((await browser.send("POST", "/session/proofs", { password: PASSWORD })).status).toBe(200);
    expect(await reach(browser, two)).toBe("reached");
  });

  test("cannot add a factor that would outlive it", async () => {
    const account = newAccount();
    await setUpOwner(service, one, account.email);
    const { browser } = await signIn(account);
    for (const path of ["/session/totp", "/session/passkeys/options", "/session/recovery-codes"])
      expect((await browser.send("POST", path)).body.code).toBe("own_proof_needed");
  });

  test("is no second factor: the password is proved after one", async () => {
    const account = newAccount();
    const person = await setUpOwner(service, one, account.email);
    const { secret } = (await person.browser.send("POST", "/session/totp")).body.totp;
    const code = (): string => codeAt(secret, now);
    await person.browser.send("POST", "/session/totp/confirm", { code: code() });
    const { browser } = await signIn(account);
    const prove = async (proof: object) => (await browser.send("POST", "/session/proofs", proof)).body;
    expect(await prove({ password: PASSWORD })).toMatchObject({ code: "second_factor_first" });
    const changed = { password: PASSWORD, new_password: "another row of notches" };
    expect((await browser.send("PUT", "/session/password", changed)).body.code).toBe("second_factor_first");
    pass({ seconds: 30 });
    expect(await prove({ code: code() })).toEqual({ proved: true });
    expect(await prove({ password: PASSWORD })).toEqual({ proved: true });
  });

  test("does not meet the demand of another one for its own", async () => {
    const account = newAccount();
    await join(await setUpOwner(service, one, account.email), ownerTwo, "admin");
    const { browser } = await signIn(account);
    await browser.send("POST", "/session/proofs", { password: PASSWORD });
    expect(await reach(browser, two)).toBe("reached");

    const { email } = ownerTwo;
    const domain = email.slice(email.indexOf("@") + 1);
    const own = await makeProvider(ownerTwo, { mail_domains: [domain] });
    await approve(domain, two);
    provider.accounts.set("owner-two", { email, email_verified: true });
    const { browser: through } = await signIn({ subject: "owner-two", email });
    const rules = { sign_in_rules: { requires_sso: true } };
    expect((await ownerTwo.browser.send("PUT", "/api/v1/sign_in_rules", rules, two)).body.code).toBe(
      "your_session_lacks_it",
    );
    expect((await through.send("PUT", "/api/v1/sign_in_rules", rules, two)).status).toBe(200);
    const fresh = await forgotten(browser);
    expect([await reach(fresh, one), await reach(fresh, two)]).toEqual(["reached", "sso_needed"]);
    expect(await reach(await forgotten(ownerTwo.browser), two)).toBe("sso_needed");
    expect(await reach(await forgotten(through), two)).toBe("reached");

    const lifted = { sign_in_rules: { requires_sso: false } };
    expect((await through.send("PUT", "/api/v1/sign_in_rules", lifted, two)).status).toBe(200);
    expect((await through.send("DELETE", `/api/v1/identity_providers/${own.svc_id}`, undefined, two)).status).toBe(200);
    expect(await reach(await forgotten(through), two)).toBe("own_sign_in_needed");
  });

  test("gets no sign-ins of a domain that the operator has approved for another", async () => {
    const theirs = await makeProvider(ownerTwo, { mail_domains: ["one.example"] });
    expect(theirs.approved_mail_domains).toEqual([]);
    expect(await approve("one.example", two)).toBe(one);
    const { browser } = await signIn(newAccount());
    expect((await sessionOf(browser)).methods).toEqual([`oidc:${providerId}`]);
  });

  test("that is disabled signs nobody in, and its sessions end", async () => {
    const account = newAccount();
    const { browser } = await signIn(account);
    const under = await visit(account);
    expect((await change(ownerOne, providerId, { enabled: false })).status).toBe(200);
    expect((await begin(openBrowser(app), account.email)).body).toEqual({ authorization_url: null });
    expect((await under.browser.arrive(under.callback)).headers.location).toBe(refusedWith("provider_sign_in_unknown"));
    expect(await reach(await forgotten(browser), one)).toBe("own_sign_in_needed");
    expect((await change(ownerOne, providerId, { enabled: true })).status).toBe(200);
  });

  test("without a role for strangers lets in who is invited, and makes no account for others", async () => {
    await change(ownerOne, providerId, { auto_join_role: null });
    const account = newAccount();
    expect((await signIn(account)).location).toBe(refusedWith("not_a_member"));
    const known = (await listUsers(platform.dispatcherDb)).map(({ email }) => email);
    expect(known).not.toContain(account.email);
    const invitation = { invitation: { email: account.email, role: "finance" } };
    await ownerOne.browser.send("POST", "/api/v1/invitations", invitation, one);
    expect((await signIn(account)).location).toBe(SIGNED_IN);
    await change(ownerOne, providerId, { auto_join_role: "support" });
  });
});

describe("a provider that leads elsewhere or is down", () => {
  test("is not asked at an address that is not public", async () => {
    const account = newAccount();
    provider.faults.discovery = (document) => ({
      ...document,
      token_endpoint: String(document.token_endpoint).replace("localhost", "127.0.0.1"),
    });
    expect((await signIn(account)).location).toBe(refusedWith("identity_provider_not_reached"));
  });

  test("is named, with what to do, before and after the visit", async () => {
    const account = newAccount();
    const { browser, callback } = await visit(account);
    await provider.stop();
    const { headers } = await browser.arrive(callback);
    expect(headers.location).toBe(refusedWith("identity_provider_not_reached"));
    const { status, body } = await begin(openBrowser(app), account.email);
    expect([status, body.code]).toEqual([503, "identity_provider_not_reached"]);
    expect(body.message).toContain("an owner checks the issuer");
  });
});

/** The person becomes a member of another organization, by its invitation. */
async function join({ browser, email }: Person, owner: Person, role: string): Promise<void> {
  const invitation = { invitation: { email, role } };
  const { body } = await owner.browser.send("POST", "/api/v1/invitations", invitation, owner.organizationId);
  const token = String(body.invitation.link).split("#")[1];
  const accepted = await browser.send("POST", "/session/invitations/accept", { token });
  expect(accepted.status, JSON.stringify(accepted.body)).toBe(200);
}

/** The same browser before another process of the service, which remembers nothing. */
async function forgotten({ cookies }: Person["browser"]): Promise<Person["browser"]> {
  const browser = openBrowser(await service.openApi());
  for (const [name, value] of cookies) browser.cookies.set(name, value);
  return browser;
}
