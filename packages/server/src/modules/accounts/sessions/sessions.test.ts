import { createHash } from "node:crypto";
import { expect, it, test } from "vitest";
import { runOn } from "../../../platform/postgres/temporary-database.ts";
import { openBrowser } from "../../../testing/browser.ts";
import { makeTestKey } from "../../../testing/make-test-key.ts";
import { makeTestPerson } from "../../../testing/make-test-person.ts";
import { startTallystick } from "../../../testing/start-tallystick.ts";
import { issueLink } from "../links/index.ts";

let now = Temporal.Instant.from("2026-03-01T09:00:00Z");
const clock = { now: () => now };
const pass = (time: Temporal.DurationLike): void => {
  now = now.add(time);
};
const settings = { SIGN_INS_OF_EMAIL: "5", SIGN_INS_OF_NETWORK: "20" };
const { platform, app, call, organizations, openApi } = await startTallystick({ clock, settings });
const [mine = { id: "", key: "" }, theirs = { id: "", key: "" }] = organizations;

const PASSWORD = "correct horse battery";
const { token } = await issueLink(platform.dispatcherDb, { kind: "setup", organizationId: mine.id }, now);
const ada = { email: "ada@example.com", name: "Ada" };
const setUp = await openBrowser(app).send("/session/setup", {
  ...ada,
  email: " Ada@Example.com ",
  token,
  password: PASSWORD,
});

let networks = 0;
/** Each with a network and a minute of its own, so that no test uses up the attempts of another. */
async function signIn({ email = ada.email, password = PASSWORD } = {}) {
  pass({ minutes: 2 });
  const browser = openBrowser(app, { address: `198.51.100.${networks++ % 250}` });
  const page = await browser.send("/session", { email, password });
  browser.actFor(mine.id);
  return { ...browser, page };
}

test("the setup link makes an owner, signs in, and works once", async () => {
  expect(setUp).toMatchObject({ status: 200, body: { signed_in: true } });
  const { send, page } = await signIn();
  expect(page).toMatchObject({ status: 200, body: { second_factor_needed: false } });
  expect((await send("/session")).body.session).toMatchObject({
    user: { email: ada.email, name: "Ada" },
    methods: ["password"],
    organizations: [{ id: mine.id, role: "owner", is_sandbox: true, obstacle: null }],
    organization: { id: mine.id, role: "owner" },
  });
  const again = await openBrowser(app).send("/session/setup", {
    ...ada,
    email: "eve@example.com",
    token,
    password: PASSWORD,
  });
  expect(again).toMatchObject({ status: 404, body: { code: "link_not_found" } });
});

test("a setup link ends after 24 hours, and without one the answer tells nothing about who exists", async () => {
  const { token } = await issueLink(platform.dispatcherDb, { kind: "setup", organizationId: mine.id }, now);
  pass({ hours: 24 });
  const open = (email: string, token: string) =>
    openBrowser(app).send("/session/setup", { email, name: "Eve", token, password: PASSWORD });
  const known = await open(ada.email, token);
  const unknown = await open("eve@example.com", "x");
  expect(known).toMatchObject({ status: 404, body: { code: "link_not_found" } });
  expect({ ...known.body, request_id: 0 }).toEqual({ ...unknown.body, request_id: 0 });
});

test("the cookie cannot be read by scripts, and has a prefix and Secure where the service has https", async () => {
  const { page } = await signIn();
  expect(page.cookie).toMatch(/^tallystick=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/);
  const secure = await startTallystick({ settings: { PUBLIC_URL: "https://billing.example.com" } });
  const { token } = await issueLink(
    secure.platform.dispatcherDb,
    { kind: "setup", organizationId: secure.organizations[0]?.id ?? "" },
    secure.platform.clock.now(),
  );
  const { send, cookie } = openBrowser(secure.app);
  const made = await send("/session/setup", { ...ada, token, password: PASSWORD });
  expect(made.cookie).toMatch(/^__Host-tallystick=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/);
  expect((await send("/session")).status).toBe(200);
  const planted = { cookie: cookie().replace("__Host-", "") };
  expect((await send("/session", undefined, { headers: planted })).status).toBe(401);
});

test("the database has neither the password nor the token of a session", async () => {
  const { cookie } = await signIn();
  const session = cookie().split("=")[1] ?? "";
  const tables = ["users", "sessions", "setup_links", "sign_in_attempts"].map((table) =>
    runOn<{ row: string }>(platform.config.DATABASE_URL, `select t::text as row from ${table} t`),
  );
  const text = (await Promise.all(tables))
    .flat()
    .map(({ row }) => row)
    .join("\n");
  for (const secret of [PASSWORD, session, Buffer.from(session, "base64url").toString("hex"), token])
    expect(text).not.toContain(secret);
  expect(text).toContain("$argon2id$v=19$m=19456,t=2,p=1$");
  expect(text).toContain(createHash("sha256").update(session).digest("hex"));
});

test("an unknown address and a wrong password get the same answer", async () => {
  const wrong = (await signIn({ password: "wrong horse battery" })).page;
  const unknown = (await signIn({ email: "nobody@example.com" })).page;
  expect(wrong).toMatchObject({ status: 401, body: { code: "sign_in_refused" } });
  expect({ ...unknown.body, request_id: 0 }).toEqual({ ...wrong.body, request_id: 0 });
});

test("a mail address has five attempts a minute, from wherever they come and whether or not it exists", async () => {
  for (const email of [ada.email, "nobody@example.com"]) {
    pass({ minutes: 2 });
    const attempt = (index: number, password: string) =>
      openBrowser(app).send("/session", { email, password }, { address: `192.0.2.${index}` });
    const all = await Promise.all([1, 2, 3, 4, 5, 6, 7].map((index) => attempt(index, "wrong horse battery")));
    expect(all.map(({ status }) => status).sort()).toEqual([401, 401, 401, 401, 401, 429, 429]);
    const refused = await attempt(8, PASSWORD);
    expect(refused).toMatchObject({ status: 429, body: { code: "too_many_attempts" } });
    expect(refused.headers["retry-after"]).toBe("60");
    pass({ seconds: 61 });
    expect((await attempt(9, PASSWORD)).status).toBe(email === ada.email ? 200 : 401);
  }
});

it.each([
  ["an IPv4 address", (index: number) => (index % 2 ? "192.0.2.200" : "::ffff:192.0.2.200")],
  ["a /64 of IPv6", (index: number) => `2001:db8::${index}`],
])("%s has twenty attempts a minute, for whatever addresses of mail", async (_, addressOf) => {
  pass({ minutes: 2 });
  const attempt = (index: number) =>
    openBrowser(app).send(
      "/session",
      { email: `${index}@example.com`, password: PASSWORD },
      { address: addressOf(index) },
    );
  const statuses: number[] = [];
  for (let index = 1; index <= 22; index++) statuses.push((await attempt(index)).status);
  expect(statuses).toEqual([...Array.from({ length: 20 }, () => 401), 429, 429]);
});

test("a mail address has a hundred attempts an hour, however slowly they come", async () => {
  const email = "slowly@example.com";
  const statuses: number[] = [];
  for (let count = 0; count < 101; count++) {
    pass({ seconds: 30 });
    const browser = openBrowser(app, { address: `203.0.113.${count}` });
    const { status, headers } = await browser.send("/session", { email, password: "wrong horse battery" });
    statuses.push(status);
    if (status === 429) expect(headers["retry-after"]).toBe("3600");
  }
  expect(statuses).toEqual([...Array.from({ length: 100 }, () => 401), 429]);
});

test("a session ends after 30 minutes without a request, and 12 hours after the sign-in", async () => {
  const idle = await signIn();
  pass({ minutes: 29 });
  expect((await idle.send("/api/v1/taxes")).status).toBe(200);
  pass({ minutes: 29 });
  expect((await idle.send("/api/v1/taxes")).status).toBe(200);
  pass({ minutes: 30 });
  expect((await idle.send("/api/v1/taxes")).body).toMatchObject({ status: 401, code: "session_ended" });

  const busy = await signIn();
  for (let minutes = 20; minutes < 12 * 60; minutes += 20) {
    pass({ minutes: 20 });
    expect((await busy.send("/session")).status).toBe(200);
  }
  pass({ minutes: 20 });
  expect((await busy.send("/session")).status).toBe(401);
});

test("an organization lengthens sessions for itself, and use in one does not revive a session for another", async () => {
  const { send, actFor } = await signIn();
  const own = (await send("/session/organizations", { name: "Second", is_sandbox: true })).body.organization;
  const rules = { sign_in_rules: { session_idle_minutes: 240, session_max_hours: 48 } };
  expect((await send("/api/v1/sign_in_rules", rules, { method: "PUT" })).status).toBe(200);
  pass({ minutes: 31 });
  actFor(own.id);
  expect((await send("/api/v1/taxes")).status).toBe(401);
  actFor(mine.id);
  // The rules of a session are read every three seconds.
  await expect.poll(async () => (await send("/api/v1/taxes")).status, { timeout: 60_000 }).toBe(200);
  actFor(own.id);
  expect((await send("/api/v1/taxes")).body.code).toBe("session_ended");
  const shown = (await send("/session")).body.session.organizations;
  expect(shown.map(({ obstacle }: { obstacle: string | null }) => obstacle)).toEqual([null, "session_ended"]);
  await send("/session/proofs", { password: PASSWORD });
  expect((await send("/api/v1/taxes")).status).toBe(200);
  const back = { sign_in_rules: { session_idle_minutes: 30, session_max_hours: 12 } };
  actFor(mine.id);
  expect((await send("/api/v1/sign_in_rules", back, { method: "PUT" })).status).toBe(200);
});

test("sessions are listed and revoked, within five seconds in every process", async () => {
  const [here, elsewhere] = [await signIn(), await signIn()];
  const other = await openApi();
  const there = openBrowser(other, { cookie: elsewhere.cookie() });
  there.actFor(mine.id);
  expect((await there.send("/api/v1/taxes")).status).toBe(200);
  const { sessions } = (await here.send("/session/sessions")).body;
  expect(sessions[0]).toMatchObject({ is_current: false, methods: ["password"] });
  expect(sessions[1].is_current).toBe(true);
  const { id } = sessions[0];
  expect((await here.send(`/session/sessions/${id}`, undefined, { method: "DELETE" })).body).toEqual({ revoked: true });
  const at = performance.now();
  await expect.poll(async () => (await there.send("/api/v1/taxes")).status, { timeout: 60_000 }).toBe(401);
  expect(performance.now() - at).toBeLessThan(60_000);
  expect((await here.send(`/session/sessions/${id}`, undefined, { method: "DELETE" })).body.code).toBe(
    "session_not_found",
  );
  expect((await here.send("/api/v1/taxes")).status).toBe(200);
  await other.close();
});

test("nobody revokes the session of another person", async () => {
  const stranger = await makeTestPerson(platform, theirs.id);
  const own = (await openBrowser(app, { cookie: `tallystick=${stranger.token}` }).send("/session/sessions")).body
    .sessions[0];
  const { send } = await signIn();
  const answer = await send(`/session/sessions/${own.id}`, undefined, { method: "DELETE" });
  expect(answer.body.code).toBe("session_not_found");
  expect((await openBrowser(app, { cookie: `tallystick=${stranger.token}` }).send("/session")).status).toBe(200);
});

test("signing out ends the session and clears the cookie", async () => {
  const { send, cookie } = await signIn();
  const headers = { cookie: cookie() };
  const out = await send("/session", undefined, { method: "DELETE" });
  expect(out.cookie).toBe("tallystick=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0");
  expect((await send("/session", undefined, { headers })).status).toBe(401);
});

test("every answer under /session is kept by no cache", async () => {
  expect((await openBrowser(app).send("/session")).headers["cache-control"]).toBe("no-store");
});

it.each([
  ["no header", {}],
  ["cross-site", { "sec-fetch-site": "cross-site" }],
  ["same-site with another origin", { "sec-fetch-site": "same-site" }],
  ["none, as an address that was typed", { "sec-fetch-site": "none" }],
])("a change by cookie with %s is refused, in the API and under /session", async (_, headers) => {
  const { cookie } = await signIn();
  const request = { headers: { cookie: cookie(), "tallystick-organization": mine.id, ...headers } };
  const body = { tax: { name: "Value added tax", code: "vat", rate: "1" } };
  const refused = { status: 403, code: "request_of_another_site" };
  const post = (url: string, payload: object) => app.inject({ ...request, method: "POST", url, payload });
  expect((await post("/api/v1/taxes", body)).json()).toMatchObject(refused);
  expect((await post("/session/organizations", { name: "Theirs" })).json()).toMatchObject(refused);
  expect((await post("/session", { email: ada.email, password: PASSWORD })).json()).toMatchObject(refused);
  expect((await app.inject({ ...request, method: "DELETE", url: "/session" })).json()).toMatchObject(refused);
  expect((await call("GET", "/taxes")).body.taxes).toEqual([]);
});

it.each([
  [200, "no header", {}],
  [200, "none", { "sec-fetch-site": "none" }],
  [403, "cross-site", { "sec-fetch-site": "cross-site" }],
  [403, "same-site", { "sec-fetch-site": "same-site" }],
])("a read by cookie is answered with %i to %s", async (status, _, headers) => {
  const { cookie } = await signIn();
  const request = { headers: { cookie: cookie(), "tallystick-organization": mine.id, ...headers } };
  expect((await app.inject({ ...request, url: "/api/v1/taxes" })).statusCode).toBe(status);
  expect((await app.inject({ ...request, url: "/session" })).statusCode).toBe(status);
});

test("a form of another site cannot send what the service reads", async () => {
  const { cookie } = await signIn();
  const headers = { cookie: cookie(), "sec-fetch-site": "same-origin", "content-type": "text/plain" };
  const answer = await app.inject({ method: "POST", url: "/session/organizations", headers, payload: '{"name":"x"}' });
  expect(answer.statusCode).toBe(415);
});

test("an organization is named by a header, and only its members reach it", async () => {
  const { send, actFor } = await signIn();
  expect((await openBrowser(app, { cookie: setUp.cookie.split(";")[0] ?? "" }).send("/api/v1/taxes")).status).toBe(401);
  for (const id of [theirs.id, "nothing", "00000000-0000-7000-8000-000000000000", `${mine.id} `]) {
    actFor(id);
    const { body } = await send("/api/v1/taxes");
    if (id.trim() === mine.id) continue;
    expect(body).toMatchObject({ status: 403, code: "organization_not_reached" });
    expect((await send("/session")).body.code).toBe("organization_not_reached");
  }
  const { send: bare } = openBrowser(app, { cookie: (await signIn()).cookie() });
  expect((await bare("/api/v1/taxes")).body.code).toBe("organization_missing");
});

test("a key counts before a cookie, and needs no header of a browser", async () => {
  const { cookie } = await signIn();
  const { token } = await makeTestKey(platform, theirs.id, {});
  const headers = { cookie: cookie(), authorization: `Bearer ${token}`, "tallystick-organization": mine.id };
  const { organization } = (await app.inject({ url: "/api/v1/organizations", headers })).json();
  expect(organization.name).toBe("Company 2");
  const wrong = { ...headers, authorization: "Bearer tsk_wrong" };
  expect((await app.inject({ url: "/api/v1/organizations", headers: wrong })).statusCode).toBe(401);
});

test("a sensitive change needs a proof of at most 15 minutes, which gives the session another token", async () => {
  const { send, cookie } = await signIn();
  const invite = (email: string) => send("/api/v1/invitations", { invitation: { email, role: "support" } });
  pass({ minutes: 15 });
  expect((await invite("one@example.com")).status).toBe(200);
  pass({ seconds: 1 });
  expect((await invite("two@example.com")).body).toMatchObject({ status: 403, code: "proof_needed" });
  expect((await send("/api/v1/members")).status).toBe(200);
  expect((await send("/session/proofs", { password: "wrong horse battery" })).body.code).toBe("password_wrong");
  const before = cookie();
  expect((await send("/session/proofs", { password: PASSWORD })).status).toBe(200);
  expect((await invite("two@example.com")).status).toBe(200);
  expect(cookie()).not.toBe(before);
  expect((await send("/session", undefined, { headers: { cookie: before } })).status).toBe(401);
});

test("a second factor or SSO that an organization demands is refused to a session without it, and met by one with it", async () => {
  const person = await makeTestPerson(platform, theirs.id, { methods: ["password", "totp"] });
  const strong = openBrowser(app, { cookie: `tallystick=${person.token}` });
  const weak = openBrowser(app, { cookie: `tallystick=${(await makeTestPerson(platform, theirs.id)).token}` });
  for (const browser of [strong, weak]) browser.actFor(theirs.id);
  const demand = (browser: typeof weak, rules: object) =>
    browser.send("/api/v1/sign_in_rules", { sign_in_rules: rules }, { method: "PUT" });
  expect((await demand(weak, { requires_second_factor: true })).body.code).toBe("your_session_lacks_it");
  expect((await demand(strong, { requires_sso: true })).body.code).toBe("your_session_lacks_it");
  expect((await call("PUT", "/sign_in_rules", { sign_in_rules: { requires_sso: true } })).body.code).toBe(
    "only_an_owner",
  );
  expect((await demand(strong, { requires_second_factor: true })).status).toBe(200);
  const other = openBrowser(app, { cookie: `tallystick=${(await makeTestPerson(platform, theirs.id)).token}` });
  other.actFor(theirs.id);
  expect((await other.send("/api/v1/taxes")).body).toMatchObject({ status: 403, code: "second_factor_needed" });
  expect((await strong.send("/api/v1/taxes")).status).toBe(200);
  expect((await demand(strong, { requires_second_factor: false })).status).toBe(200);
});

test("a password is changed with the old one, and ends all other sessions", async () => {
  const { send } = await signIn();
  const other = await signIn();
  const change = (password: string, new_password: string) =>
    send("/session/password", { password, new_password }, { method: "PUT" });
  expect((await change("wrong horse battery", "another horse battery")).body.code).toBe("password_wrong");
  expect((await change(PASSWORD, "another horse battery")).status).toBe(200);
  expect((await send("/session")).status).toBe(200);
  await expect.poll(async () => (await other.send("/session")).status, { timeout: 60_000 }).toBe(401);
  expect((await signIn()).page.status).toBe(401);
  const { send: again, page } = await signIn({ password: "another horse battery" });
  expect(page.status).toBe(200);
  expect(
    (await again("/session/password", { password: "another horse battery", new_password: PASSWORD }, { method: "PUT" }))
      .status,
  ).toBe(200);
});
