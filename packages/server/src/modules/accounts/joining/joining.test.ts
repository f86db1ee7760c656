import { expect, it, test } from "vitest";
import { openBrowser } from "../../../testing/browser.ts";
import { makeTestPerson } from "../../../testing/make-test-person.ts";
import { startMailServer } from "../../../testing/start-mail-server.ts";
import { startTallystick } from "../../../testing/start-tallystick.ts";
import { makeResetLink } from "./reset-password.ts";

let now = Temporal.Instant.from("2026-03-01T09:00:00Z");
const clock = { now: () => now };
const pass = (time: Temporal.DurationLike): void => {
  now = now.add(time);
};
const { platform, app, call, organizations } = await startTallystick({ clock });
const [mine = { id: "", key: "" }, theirs = { id: "", key: "" }] = organizations;
const publicUrl = "https://billing.example.com";

let people = 0;
const newEmail = () => `person-${++people}@example.com`;
const PASSWORD = "correct horse battery";
const tokenOf = (link: string | null | undefined) => String(link).split("#")[1] ?? "";

async function invite(email: string, { role = "finance", key = mine.key } = {}) {
  const { invitation } = (await call("POST", "/invitations", { invitation: { email, role } }, { key })).body;
  return { ...invitation, token: tokenOf(invitation.link) };
}

async function join(email: string, password = PASSWORD) {
  const browser = openBrowser(app);
  const { token } = await invite(email);
  const answer = await browser.send("/session/invitations/accept", { token, name: "Person", password });
  return { ...browser, answer };
}

test("without a mail server the inviter gets the link, and who opens it becomes a member once", async () => {
  const email = newEmail();
  const invitation = await invite(email.toUpperCase());
  expect(invitation).toMatchObject({ email, role: "finance", mail_status: "off" });
  expect(invitation.link).toMatch(/\/invitation#[\w-]{43}$/);
  const shown = (await call("GET", `/invitations/${invitation.svc_id}`)).body.invitation;
  expect(shown).toMatchObject({ email, mail_status: null, link: null });
  const { send } = openBrowser(app);
  const described = (await send("/session/links", { token: invitation.token })).body.link;
  expect(described).toEqual({ kind: "invitation", email, organization_name: "Company 1", has_account: false });
  const person = { token: invitation.token, name: "Person", password: PASSWORD };
  expect((await send("/session/invitations/accept", person)).status).toBe(200);
  expect((await send("/session")).body.session.organizations).toMatchObject([{ id: mine.id, role: "finance" }]);
  expect((await openBrowser(app).send("/session/invitations/accept", person)).body.code).toBe("link_not_found");
  expect((await call("GET", `/invitations/${invitation.svc_id}`)).status).toBe(404);
});

test("of many who open an invitation at the same time, one becomes a member", async () => {
  const { token } = await invite(newEmail());
  const person = { token, name: "Person", password: PASSWORD };
  const answers = await Promise.all([1, 2, 3].map(() => openBrowser(app).send("/session/invitations/accept", person)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
});

it.each([
  ["revoked", async (id: string) => void (await call("DELETE", `/invitations/${id}`))],
  ["older than 7 days", async () => pass({ hours: 7 * 24 })],
])("an invitation that was %s does not work", async (_, spoil) => {
  const { token, svc_id } = await invite(newEmail());
  await spoil(svc_id);
  const answer = await openBrowser(app).send("/session/invitations/accept", { token, name: "P", password: PASSWORD });
  expect(answer.body.code).toBe("link_not_found");
});

test("a person who exists signs in first, and belongs to both organizations", async () => {
  const email = newEmail();
  const { send, actFor } = await join(email);
  const { token } = await invite(email, { role: "support", key: theirs.key });
  const fresh = { token, name: "Impostor", password: "another horse battery" };
  expect((await openBrowser(app).send("/session/invitations/accept", fresh)).body.code).toBe("sign_in_first");
  const stranger = await makeTestPerson(platform, mine.id);
  const asStranger = openBrowser(app, { cookie: `tallystick=${stranger.token}` });
  expect((await asStranger.send("/session/invitations/accept", { token })).body.code).toBe(
    "invitation_for_another_address",
  );
  expect((await send("/session/invitations/accept", { token })).status).toBe(200);
  const roles = (await send("/session")).body.session.organizations.map(({ role }: { role: string }) => role);
  expect(roles).toEqual(["finance", "support"]);
  actFor(theirs.id);
  expect((await send("/api/v1/organizations")).status).toBe(403);
  actFor(mine.id);
  expect((await send("/api/v1/organizations")).body.organization.name).toBe("Company 1");
});

test("a person makes organizations, live and sandbox, owns them, and switches", async () => {
  const { send, actFor } = await join(newEmail());
  for (const is_sandbox of [false, true]) {
    const made = (await send("/session/organizations", { name: "Own", is_sandbox })).body.organization;
    expect(made).toMatchObject({ name: "Own", is_sandbox, role: "owner" });
    actFor(made.id);
    expect((await send("/api/v1/members")).body.members).toHaveLength(1);
    const clocks = await send("/api/v1/test_clocks", { test_clock: { now: "2026-01-01T00:00:00Z" } });
    expect(clocks.status === 200).toBe(is_sandbox);
  }
  expect((await send("/session")).body.session.organizations).toHaveLength(3);
});

test("a reset link gives another password once, and ends every session", async () => {
  const email = newEmail();
  const { send } = await join(email);
  const link = await makeResetLink({ ...platform, publicUrl }, email);
  expect(link).toMatch(/^https:\/\/billing\.example\.com\/password-reset#[\w-]{43}$/);
  const older = await makeResetLink({ ...platform, publicUrl }, email);
  const reset = (token: string, password: string) =>
    openBrowser(app).send("/session/password-resets", { token, password }, { method: "PUT" });
  expect((await reset(tokenOf(link), "short")).body.error_details).toEqual({ password: ["value_is_too_short"] });
  expect((await reset(tokenOf(link), "another horse battery")).status).toBe(200);
  expect((await reset(tokenOf(link), "third horse battery")).body.code).toBe("link_not_found");
  expect((await reset(tokenOf(older), "third horse battery")).body.code).toBe("link_not_found");
  await expect.poll(async () => (await send("/session")).status, { timeout: 60_000 }).toBe(401);
  expect((await openBrowser(app).send("/session", { email, password: PASSWORD })).status).toBe(401);
  expect((await openBrowser(app).send("/session", { email, password: "another horse battery" })).status).toBe(200);
});

test("a reset link ends after 30 minutes, and there is none for an unknown address", async () => {
  const email = newEmail();
  await join(email);
  const link = await makeResetLink({ ...platform, publicUrl }, email);
  pass({ minutes: 30 });
  const reset = { token: tokenOf(link), password: "another horse battery" };
  const answer = await openBrowser(app).send("/session/password-resets", reset, { method: "PUT" });
  expect(answer.body.code).toBe("link_not_found");
  expect(await makeResetLink({ ...platform, publicUrl }, "nobody@example.com")).toBeUndefined();
});

test("with a mail server, invitations and resets are mailed, and no answer shows their links", async () => {
  const server = await startMailServer();
  const settings = { SMTP_URL: server.url, MAIL_FROM: "billing@example.com" };
  const mailing = await startTallystick({ settings });
  const email = newEmail();
  const { invitation } = (await mailing.call("POST", "/invitations", { invitation: { email, role: "owner" } })).body;
  expect(invitation).toMatchObject({ mail_status: "sent", link: null });
  const linkIn = (text: string) => /#([\w-]{43})/.exec(text)?.[1] ?? "";
  const letters = () => server.received.filter(({ to }) => to.includes(email)).map(({ parsed }) => parsed.text ?? "");
  const token = linkIn(letters()[0] ?? "");
  const { send } = openBrowser(mailing.app);
  expect((await send("/session/invitations/accept", { token, name: "P", password: PASSWORD })).status).toBe(200);

  const known = await openBrowser(mailing.app).send("/session/password-resets", { email });
  const unknown = await openBrowser(mailing.app).send("/session/password-resets", { email: "nobody@example.com" });
  expect(known).toMatchObject({ status: 200, body: { mailed_if_known: true } });
  expect(unknown.body).toEqual(known.body);
  await expect.poll(() => letters().length, { timeout: 60_000 }).toBe(2);
  const reset = { token: linkIn(letters()[1] ?? ""), password: "another horse battery" };
  expect((await openBrowser(mailing.app).send("/session/password-resets", reset, { method: "PUT" })).status).toBe(200);
  await expect.poll(() => letters()[2], { timeout: 60_000 }).toContain("Your password was replaced through a link.");

  const browser = openBrowser(mailing.app);
  await browser.send("/session", { email, password: reset.password });
  const change = { password: reset.password, new_password: PASSWORD };
  expect((await browser.send("/session/password", change, { method: "PUT" })).status).toBe(200);
  await expect.poll(() => letters()[3], { timeout: 60_000 }).toContain("Your password was changed.");
});

it.each([
  ["too short", "horse batte", "value_is_too_short"],
  ["too long", "horse battery ".repeat(10), "value_is_too_long"],
  ["a common one", "1Q2W3E4R5T6Y", "value_is_invalid"],
  ["few characters", "aaabbbaaabbbab", "value_is_invalid"],
  ["a repeated part", "secretsecretsecret", "value_is_invalid"],
  ["a run of the keyboard", "qwertyuiopasdf", "value_is_invalid"],
  ["mostly the mail address", "weak-person!!", "value_is_invalid"],
])("a password that is %s is refused, before anything is computed", async (_, password, code) => {
  const { token } = await invite("weak-person@example.com");
  const answer = await openBrowser(app).send("/session/invitations/accept", { token, name: "Weak", password });
  expect(answer.body.error_details).toEqual({ password: [code] });
  const [row] = (await call("GET", "/invitations")).body.invitations.filter(
    ({ email }: { email: string }) => email === "weak-person@example.com",
  );
  await call("DELETE", `/invitations/${row.svc_id}`);
});

it.each([
  "correct horse battery",
  "Пароль из слов и цифр 7",
  "🔑🗝️🔒🔓🧲🧰🪛🔧🔨⛏️🪚🔩",
  `long ${"words of all kinds ".repeat(6)}`.slice(0, 128),
])("the password %s is accepted whole", async (password) => {
  const email = newEmail();
  expect((await join(email, password)).answer.status).toBe(200);
  expect((await openBrowser(app).send("/session", { email, password })).status).toBe(200);
  expect((await openBrowser(app).send("/session", { email, password: password.slice(0, -2) })).status).toBe(401);
});
