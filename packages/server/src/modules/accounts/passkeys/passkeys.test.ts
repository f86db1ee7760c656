/** Passkeys through HTTP, with an authenticator in software. */
import { beforeAll, describe, expect, it, test } from "vitest";
import { openBrowser } from "../../../testing/open-browser.ts";
import { PASSWORD, type Person, setUpOwner } from "../../../testing/set-up-person.ts";
import { createAuthenticator, type Forgery } from "../../../testing/software-authenticator.ts";
import { startTallystick } from "../../../testing/start-tallystick.ts";

const ORIGIN = "http://localhost:4567";
let now = Temporal.Instant.from("2026-11-19T12:00:00Z");
const pass = (duration: Temporal.DurationLike) => {
  now = now.add(duration);
};
const service = await startTallystick({ clock: { now: () => now }, settings: { PUBLIC_URL: ORIGIN } });
const { app, organizations } = service;
const organizationId = organizations[0]?.id ?? "";

type Registered = Person & { device: ReturnType<typeof createAuthenticator>; id: string; recoveryCodes: string[] };

const optionsOf = async ({ browser }: Person) => (await browser.send("POST", "/session/passkeys/options")).body.options;

async function register(person: Person): Promise<Registered> {
  const device = createAuthenticator(ORIGIN);
  const credential = device.register(await optionsOf(person));
  const { status, body } = await person.browser.send("POST", "/session/passkeys", { name: "Laptop", credential });
  expect(status, JSON.stringify(body)).toBe(200);
  return { ...person, device, id: body.passkey.id, recoveryCodes: body.recovery_codes };
}
const newPerson = () => setUpOwner(service, organizationId);
const newRegistered = async () => register(await newPerson());

type Assertion = ReturnType<Registered["device"]["assert"]>;

/** A sign-in in a new browser, up to the answer of the device. */
async function begin(pendingToken?: string) {
  const browser = openBrowser(app);
  const pending = pendingToken === undefined ? {} : { pending_token: pendingToken };
  const { options } = (await browser.send("POST", "/session/passkey-challenges", pending)).body;
  const finish = (credential: Assertion) => browser.send("POST", "/session/passkey", { ...pending, credential });
  return { browser, options, finish };
}
const methodsOf = async (browser: Person["browser"]) =>
  (await browser.send("GET", "/session")).body.session.methods as string[];

describe("a passkey", () => {
  test("is registered with a name, signs in alone, and counts as two factors", async () => {
    const { browser, device, id, recoveryCodes } = await newRegistered();
    expect(recoveryCodes).toHaveLength(10);
    expect(await methodsOf(browser)).toEqual(["password", "passkey"]);
    const { browser: other, options, finish } = await begin();
    expect(options).toMatchObject({ rpId: "localhost", allowCredentials: [], userVerification: "required" });
    expect((await finish(device.assert(options))).body).toEqual({ signed_in: true });
    expect(await methodsOf(other)).toEqual(["passkey"]);
    const { passkeys } = (await other.send("GET", "/session/passkeys")).body;
    expect(passkeys).toMatchObject([{ id, name: "Laptop", last_used_at: "2026-11-19T12:00:00Z" }]);
    const rules = { sign_in_rules: { requires_second_factor: true } };
    expect((await other.send("PUT", "/api/v1/sign_in_rules", rules, organizations[1]?.id)).status).toBe(403);
    expect((await other.send("PUT", "/api/v1/sign_in_rules", rules, organizationId)).status).toBe(200);
    expect((await other.send("GET", "/api/v1/members", undefined, organizationId)).status).toBe(200);
    const lifted = { sign_in_rules: { requires_second_factor: false } };
    await other.send("PUT", "/api/v1/sign_in_rules", lifted, organizationId);
  });

  test("is the second step of a sign-in by password, for its person only", async () => {
    const [person, other] = [await newRegistered(), await newRegistered()];
    const first = await openBrowser(app).send("POST", "/session", { email: person.email, password: PASSWORD });
    expect(first.body).toMatchObject({ second_factor_needed: true, factors: ["passkey", "recovery_code"] });
    const { pending_token: token } = first.body;
    const wrong = await begin(token);
    expect(wrong.options.allowCredentials).toHaveLength(1);
    expect((await wrong.finish(other.device.assert(wrong.options))).body.code).toBe("passkey_refused");
    const { browser, options, finish } = await begin(token);
    expect((await finish(person.device.assert(options))).body).toEqual({ signed_in: true });
    expect(await methodsOf(browser)).toEqual(["password", "passkey"]);
    const again = await browser.send("POST", "/session/passkey-challenges", { pending_token: token });
    expect([again.status, again.body.code]).toEqual([404, "pending_sign_in_not_found"]);
  });

  test("is renamed and removed by its person only, and removed after a recent proof", async () => {
    const [person, other] = [await newRegistered(), await newRegistered()];
    const path = `/session/passkeys/${person.id}`;
    expect((await other.browser.send("PUT", path, { name: "Mine" })).status).toBe(404);
    expect((await other.browser.send("DELETE", path)).status).toBe(404);
    expect((await person.browser.send("PUT", path, { name: "Phone" })).body.passkey.name).toBe("Phone");
    pass({ minutes: 16 });
    expect((await person.browser.send("DELETE", path)).body.code).toBe("proof_needed");
    const { options } = (await person.browser.send("POST", "/session/proofs/passkey-challenges")).body;
    const credential = person.device.assert(options);
    expect((await person.browser.send("POST", "/session/proofs", { credential })).body).toEqual({ proved: true });
    expect((await person.browser.send("DELETE", path)).body).toEqual({ removed: true });
    const { options: later, finish } = await begin();
    expect((await finish(person.device.assert(later))).body.code).toBe("passkey_refused");
  });

  test("of another person is no proof", async () => {
    const [person, other] = [await newRegistered(), await newRegistered()];
    const { options } = (await person.browser.send("POST", "/session/proofs/passkey-challenges")).body;
    const credential = other.device.assert(options);
    const refused = await person.browser.send("POST", "/session/proofs", { credential });
    expect([refused.status, refused.body.code]).toEqual([403, "passkey_refused"]);
  });

  test("is registered once", async () => {
    const { browser, device, ...person } = await newRegistered();
    const again = device.register(await optionsOf({ browser, ...person }));
    const refused = await browser.send("POST", "/session/passkeys", { name: "Again", credential: again });
    expect([refused.status, refused.body.code]).toEqual([405, "passkey_is_known"]);
  });
});

describe("a forged registration is refused", () => {
  it.each<[string, Forgery]>([
    ["of another origin", { origin: "http://localhost.attacker.example" }],
    ["of another service", { rpId: "attacker.example" }],
    ["with another challenge", { challenge: Buffer.alloc(32).toString("base64url") }],
    ["without verification of the person", { isVerified: false }],
  ])("%s", async (_, forged) => {
    const person = await newPerson();
    const credential = createAuthenticator(ORIGIN).register(await optionsOf(person), forged);
    const refused = await person.browser.send("POST", "/session/passkeys", { name: "Laptop", credential });
    expect([refused.status, refused.body.code]).toEqual([403, "passkey_refused"]);
  });

  test("with the challenge of another person", async () => {
    const [person, other] = [await newPerson(), await newPerson()];
    const credential = createAuthenticator(ORIGIN).register(await optionsOf(other));
    const refused = await person.browser.send("POST", "/session/passkeys", { name: "Laptop", credential });
    expect(refused.body.code).toBe("passkey_refused");
  });
});

describe("a forged sign-in is refused", () => {
  let person: Registered;
  beforeAll(async () => {
    person = await newRegistered();
  });

  it.each<[string, Forgery]>([
    ["of another origin", { origin: "https://localhost:4567" }],
    ["of another service", { rpId: "attacker.example" }],
    ["with another challenge", { challenge: Buffer.alloc(32).toString("base64url") }],
    ["without verification of the person", { isVerified: false }],
    ["with the handle of another person", { userHandle: Buffer.alloc(16).toString("base64url") }],
  ])("%s", async (_, forged) => {
    const { options, finish } = await begin();
    const refused = await finish(person.device.assert(options, forged));
    expect([refused.status, refused.body.code]).toEqual([403, "passkey_refused"]);
  });

  test("with a challenge that was answered before, right or wrong, or is 5 minutes old", async () => {
    const { device } = person;
    const { options, finish } = await begin();
    const credential = device.assert(options);
    expect((await finish(credential)).status).toBe(200);
    expect((await finish(credential)).body.code).toBe("passkey_refused");
    expect((await finish(device.assert(options))).body.code).toBe("passkey_refused");
    const wrong = await begin();
    expect((await wrong.finish(device.assert(wrong.options, { isVerified: false }))).status).toBe(403);
    expect((await wrong.finish(device.assert(wrong.options))).status).toBe(403);
    const late = await begin();
    pass({ minutes: 5 });
    expect((await late.finish(device.assert(late.options))).status).toBe(403);
  });

  test("with a counter that went back or stands still: the device was copied", async () => {
    const { device } = person;
    const high = await begin();
    expect((await high.finish(device.assert(high.options, { counter: 1000 }))).status).toBe(200);
    for (const counter of [999, 1000, 0]) {
      const { options, finish } = await begin();
      expect((await finish(device.assert(options, { counter }))).body.code).toBe("passkey_refused");
    }
  });

  test("with a challenge that was for a proof, or for another sign-in that has begun", async () => {
    const { device, browser, email } = await newRegistered();
    const { options } = (await browser.send("POST", "/session/proofs/passkey-challenges")).body;
    const plain = await begin();
    expect((await plain.finish(device.assert(options))).body.code).toBe("passkey_refused");
    const first = await openBrowser(app).send("POST", "/session", { email, password: PASSWORD });
    const pending = await begin(first.body.pending_token);
    expect((await plain.finish(device.assert(pending.options))).body.code).toBe("passkey_refused");
  });
});
