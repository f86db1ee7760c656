import { expect, test } from "vitest";
import { runOn } from "../platform/postgres/temporary-database.ts";
import { createLog } from "../platform/telemetry/log.ts";
import { makeTestKey, makeUnknownKey } from "../testing/make-test-key.ts";
import { startTallystick } from "../testing/start-tallystick.ts";

const lines: string[] = [];
const log = createLog("trace", { write: (line: string) => void lines.push(line) });
const { platform, app, call, organizations } = await startTallystick({ log });
const [{ id, key } = { id: "", key: "" }] = organizations;

const LEGAL_NAME = "A Person of Flesh and Blood";

/** What must not appear: all of a key except its public prefix. */
const secretOf = (token: string): string => token.slice(13, 45);

test("no log line of a run holds the secret of any key, whatever was done with it", async () => {
  const tokens = [
    ...organizations.map((organization) => organization.key),
    (await makeTestKey(platform, id, { isRevoked: true })).token,
    (await makeTestKey(platform, id, { expiresAt: platform.clock.now() })).token,
    (await makeTestKey(platform, id, { permissions: {} })).token,
    await makeUnknownKey(platform, id),
  ];
  for (const token of tokens) {
    await call("GET", "/taxes", undefined, { key: token });
    await call("GET", "/nowhere", undefined, { key: token });
    await call("POST", "/taxes", undefined, { key: token, raw: "{" });
    await call("GET", "/taxes", undefined, { key: null, headers: { authorization: token, "x-api-key": token } });
    await call("GET", `/taxes/${token}?api_key=${token}`, undefined, { key: token });
    await call("GET", `/taxes?key=%zz${token}`, undefined, { key: token });
    await call("POST", "/taxes", { tax: { name: token, code: token, rate: token } }, { key: token });
    await call("GET", "/taxes", undefined, { headers: { "x-request-id": token, "idempotency-key": token } });
    await breakSomething(token);
  }
  app.log.error({ token: key, headers: { authorization: key }, nested: { secret: key } }, `a key in a message: ${key}`);

  const text = lines.join("");
  expect(lines.length).toBeGreaterThan(tokens.length * 10);
  expect(text).toContain("request failed");
  for (const token of tokens) expect(text).not.toContain(secretOf(token));
});

/** An internal failure, with the key also in the row that could not be written. */
async function breakSomething(token: string): Promise<void> {
  const { DATABASE_URL: url } = platform.config;
  await runOn(url, "alter table customers add constraint broken check (false) not valid");
  const customer = { external_id: token, name: token, legal_name: LEGAL_NAME };
  const { status } = await call("POST", "/customers", { customer }, { key });
  expect(status).toBe(500);
  await runOn(url, "alter table customers drop constraint broken");
}

test("a failure is logged with its cause, but without the row that was refused", () => {
  // Postgres does not quote a row of a table with row level security in its errors.
  const failures = lines.filter((line) => line.includes("request failed"));
  expect(failures.length).toBeGreaterThan(0);
  expect(failures[0]).toContain('violates check constraint \\"broken\\"');
  expect(lines.join("")).not.toContain(LEGAL_NAME);
});

test("a log line says which request, organization and key it is about", () => {
  const about = lines.map((line) => JSON.parse(line)).filter(({ organization }) => organization === id);
  expect(about.length).toBeGreaterThan(0);
  expect(about[0]).toMatchObject({
    service: "tallystick",
    key: expect.stringMatching(/^\w{8}$/),
    reqId: expect.any(String),
  });
});
