/** Authenticator apps and recovery codes, through HTTP. */
import { describe, expect, it, test } from "vitest";
import { createLog } from "../../../platform/telemetry/log.ts";
import { openBrowser } from "../../../testing/open-browser.ts";
import { PASSWORD, type Person, setUpOwner } from "../../../testing/set-up-person.ts";
import { startTallystick } from "../../../testing/start-tallystick.ts";
import { codeOf, stepAt } from "./totp.ts";

let now = Temporal.Instant.from("2026-11-19T12:00:00Z");
const pass = (duration: Temporal.DurationLike) => {
  now = now.add(duration);
};
const lines: string[] = [];
const log = createLog("warn", { write: (line: string) => void lines.push(line) });
const service = await startTallystick({ clock: { now: () => now }, log });
const { app, organizations } = service;
const organizationId = organizations[0]?.id ?? "";

const newPerson = () => setUpOwner(service, organizationId);

type Enrolled = Person & { secret: string; recoveryCodes: string[] };

async function enroll(person: Person): Promise<Enrolled> {
  const { secret } = (await person.browser.send("POST", "/session/totp")).body.totp;
  const { status, body } = await person.browser.send("POST", "/session/totp/confirm", { code: codeNow(secret) });
  expect(status).toBe(200);
  // The code that confirmed is used up.
  pass({ seconds: 30 });
  return { ...person, secret, recoveryCodes: body.recovery_codes };
}

const codeNow = (secret: string, steps = 0): string => codeOf(secret, stepAt(now) + steps);
const wrongCode = (secret: string): string => String((Number(codeNow(secret)) + 500_000) % 1_000_000).padStart(6, "0");

/** The first step, in a new browser. */
async function begin({ email }: Person) {
  const browser = openBrowser(app);
  const { body } = await browser.send("POST", "/session", { email, password: PASSWORD });
  const finish = (proof: object) =>
    browser.send("POST", "/session/second-factor", { pending_token: body.pending_token, ...proof });
  return { browser, begun: body, finish };
}

const reach = (browser: Person["browser"]) => browser.send("GET", "/api/v1/members", undefined, organizationId);
const sessionOf = (browser: Person["browser"]) => browser.send("GET", "/session");

describe("a code", () => {
  it.each([
    ["1970-01-01T00:00:59Z", "287082"],
    ["2005-03-18T01:58:29Z", "081804"],
    ["2009-02-13T23:31:30Z", "005924"],
    ["2033-05-18T03:33:20Z", "279037"],
    ["2603-10-11T11:33:20Z", "353130"],
  ])("at %s is the one of RFC 6238", (instant, code) => {
    const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
    expect(codeOf(secret, stepAt(Temporal.Instant.from(instant)))).toBe(code);
  });
});

describe("an authenticator app", () => {
  test("is active after its first code, which gives ten recovery codes once", async () => {
    const { browser, email } = await newPerson();
    const { totp } = (await browser.send("POST", "/session/totp")).body;
    const uri = new URL(totp.uri);
    expect(decodeURIComponent(uri.pathname)).toContain(email);
    expect(uri.searchParams.get("secret")).toBe(totp.secret);
    expect((await begin({ email } as Person)).begun).toEqual({ second_factor_needed: false });

    const wrong = await browser.send("POST", "/session/totp/confirm", { code: wrongCode(totp.secret) });
    expect([wrong.status, wrong.body.code]).toEqual([403, "code_wrong"]);
    const confirmed = await browser.send("POST", "/session/totp/confirm", { code: codeNow(totp.secret) });
    expect(new Set(confirmed.body.recovery_codes).size).toBe(10);
    expect((await begin({ email } as Person)).begun).toMatchObject({
      second_factor_needed: true,
      factors: ["totp", "recovery_code"],
    });
    const shown = (await browser.send("GET", "/session/totp")).body;
    expect(shown).toEqual({ totp: { confirmed_at: "2026-11-19T12:00:00Z" }, recovery_codes_left: 10 });
    expect((await sessionOf(browser)).body.session.methods).toEqual(["password", "totp"]);
    const again = await browser.send("POST", "/session/totp");
    expect([again.status, again.body.code]).toEqual([405, "totp_is_active"]);
  });

  test("ends the other sessions, which have not proved it", async () => {
    const person = await newPerson();
    const { browser: other } = await begin(person);
    expect((await reach(other)).status).toBe(200);
    await enroll(person);
    pass({ seconds: 10 });
    expect((await reach(await reopened(other))).status).toBe(401);
    expect((await reach(person.browser)).status).toBe(200);
  });

  test("is asked for at every sign-in, and the first step alone is no session", async () => {
    const person = await enroll(await newPerson());
    const { browser, finish } = await begin(person);
    expect((await sessionOf(browser)).status).toBe(401);
    expect((await finish({ code: codeNow(person.secret) })).body).toEqual({ signed_in: true });
    expect((await sessionOf(browser)).body.session.methods).toEqual(["password", "totp"]);
  });

  it.each([
    [-2, 403],
    [-1, 200],
    [0, 200],
    [1, 200],
    [2, 403],
  ])("whose clock is %i steps off: %i", async (steps, status) => {
    const person = await enroll(await newPerson());
    pass({ seconds: 60 });
    expect((await (await begin(person)).finish({ code: codeNow(person.secret, steps) })).status).toBe(status);
  });

  test("gives a code that works once, also when it is sent twice at the same time", async () => {
    const person = await enroll(await newPerson());
    const [one, other] = [await begin(person), await begin(person)];
    const code = codeNow(person.secret);
    const statuses = (await Promise.all([one.finish({ code }), other.finish({ code })])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 403]);
    expect((await (await begin(person)).finish({ code })).status).toBe(403);
    expect(lines.filter((line) => line.includes("was sent twice"))).toHaveLength(2);
    // Nor does an earlier one.
    expect((await (await begin(person)).finish({ code: codeNow(person.secret, -1) })).status).toBe(403);
  });

  test("cannot be guessed: five wrong codes in 15 minutes end the tries, however many sign-ins begin", async () => {
    const person = await enroll(await newPerson());
    const tried: number[] = [];
    for (let count = 0; count < 6; count++) {
      pass({ minutes: 1 });
      tried.push((await (await begin(person)).finish({ code: wrongCode(person.secret) })).status);
    }
    expect(tried).toEqual([403, 403, 403, 403, 403, 429]);
    const right = await (await begin(person)).finish({ code: codeNow(person.secret) });
    expect([right.status, right.body.code]).toEqual([429, "too_many_attempts"]);
    const recovery = await (await begin(person)).finish({ recovery_code: person.recoveryCodes[0] });
    expect(recovery.status).toBe(429);
    pass({ minutes: 15 });
    expect((await (await begin(person)).finish({ code: codeNow(person.secret) })).status).toBe(200);
  });

  test("counts no right codes", async () => {
    const person = await enroll(await newPerson());
    for (let count = 0; count < 7; count++) {
      pass({ seconds: 30 });
      expect((await person.browser.send("POST", "/session/proofs", { code: codeNow(person.secret) })).status).toBe(200);
    }
  });

  test("of another person opens nothing", async () => {
    const [person, other] = [await enroll(await newPerson()), await enroll(await newPerson())];
    expect((await (await begin(person)).finish({ code: codeNow(other.secret) })).status).toBe(403);
    expect((await (await begin(person)).finish({ recovery_code: other.recoveryCodes[0] })).status).toBe(403);
  });

  test("is removed after a recent proof only, and with it the recovery codes", async () => {
    const person = await enroll(await newPerson());
    pass({ minutes: 16 });
    const refused = await person.browser.send("DELETE", "/session/totp");
    expect([refused.status, refused.body.code]).toEqual([403, "proof_needed"]);
    expect((await person.browser.send("POST", "/session/proofs", { code: codeNow(person.secret) })).status).toBe(200);
    expect((await person.browser.send("DELETE", "/session/totp")).body).toEqual({ removed: true });
    expect((await begin(person)).begun).toEqual({ second_factor_needed: false });
    expect((await person.browser.send("GET", "/session/totp")).body.recovery_codes_left).toBe(0);
    const codes = await person.browser.send("POST", "/session/recovery-codes");
    expect([codes.status, codes.body.code]).toEqual([405, "no_second_factor"]);
  });
});

describe("the token between the steps", () => {
  test("works once, and for five minutes", async () => {
    const person = await enroll(await newPerson());
    const { finish } = await begin(person);
    expect((await finish({ code: codeNow(person.secret) })).status).toBe(200);
    pass({ seconds: 30 });
    const again = await finish({ code: codeNow(person.secret) });
    expect([again.status, again.body.code]).toEqual([404, "pending_sign_in_not_found"]);
    const late = await begin(person);
    pass({ minutes: 5 });
    expect((await late.finish({ code: codeNow(person.secret) })).status).toBe(404);
  });
});

describe("a recovery code", () => {
  test("works once, however it is typed", async () => {
    const person = await enroll(await newPerson());
    const [first = "", second = ""] = person.recoveryCodes;
    expect((await (await begin(person)).finish({ recovery_code: first })).status).toBe(200);
    expect((await (await begin(person)).finish({ recovery_code: first })).status).toBe(403);
    const typed = second.toLowerCase().replaceAll("-", " ");
    expect((await (await begin(person)).finish({ recovery_code: typed })).status).toBe(200);
    expect((await person.browser.send("GET", "/session/totp")).body.recovery_codes_left).toBe(8);
  });

  test("of an old set stops working when the set is replaced", async () => {
    const person = await enroll(await newPerson());
    const { recovery_codes } = (await person.browser.send("POST", "/session/recovery-codes")).body;
    expect((await (await begin(person)).finish({ recovery_code: person.recoveryCodes[0] })).status).toBe(403);
    expect((await (await begin(person)).finish({ recovery_code: recovery_codes[0] })).status).toBe(200);
  });
});

describe("an organization that demands a second factor", () => {
  test("lets a person in who has proved one; without one, a person can only set one up", async () => {
    const strict = organizations[1]?.id ?? "";
    const owner = await enroll(await setUpOwner(service, strict));
    const bare = await setUpOwner(service, strict);
    const rules = { sign_in_rules: { requires_second_factor: true } };
    expect((await bare.browser.send("PUT", "/api/v1/sign_in_rules", rules, strict)).status).toBe(405);
    expect((await owner.browser.send("PUT", "/api/v1/sign_in_rules", rules, strict)).status).toBe(200);
    pass({ seconds: 10 });
    const members = ({ browser }: Person) => browser.send("GET", "/api/v1/members", undefined, strict);
    const { browser } = await begin(bare);
    const refused = await members({ ...bare, browser });
    expect([refused.status, refused.body.code]).toEqual([403, "second_factor_needed"]);
    expect((await members(owner)).status).toBe(200);
    await enroll({ ...bare, browser });
    expect((await members({ ...bare, browser })).status).toBe(200);
  });
});

/** In another process, where no session is known. */
async function reopened({ cookies }: Person["browser"]): Promise<Person["browser"]> {
  const browser = openBrowser(await service.openApi());
  for (const [name, value] of cookies) browser.cookies.set(name, value);
  return browser;
}
