import { expect, test } from "vitest";
import { runOn } from "../../../platform/postgres/temporary-database.ts";
import { makeTestKey, makeUnknownKey } from "../../../testing/make-test-key.ts";
import { openBrowser } from "../../../testing/open-browser.ts";
import { PASSWORD, setUpOwner } from "../../../testing/set-up-person.ts";
import { startTallystick } from "../../../testing/start-tallystick.ts";

let now = Temporal.Instant.from("2026-03-01T23:59:00Z");
const service = await startTallystick({ clock: { now: () => now } });
const { platform, app, call, organizations, openApi } = service;
const [mine = { id: "", key: "" }, theirs = { id: "", key: "" }] = organizations;

const counts = async (query = "", key = mine.key) =>
  (await call("GET", `/security_log${query}`, undefined, { key })).body.security_log.counts;

test("uses and refusals of keys are counted by day, for their organization only", async () => {
  const { token } = await makeTestKey(platform, mine.id, { isRevoked: true });
  for (let count = 0; count < 3; count++) await call("GET", "/taxes");
  for (let count = 0; count < 2; count++) await call("GET", "/taxes", undefined, { key: token });
  await call("GET", "/taxes", undefined, { key: await makeUnknownKey(platform, mine.id) });
  await call("GET", "/taxes", undefined, { key: "tsk_nonsense" });
  platform.countSecurity("sign_in_failed", theirs.id);
  await platform.flushSecurity();
  now = now.add({ minutes: 2 });
  await call("GET", "/taxes");
  await platform.flushSecurity();
  expect(await counts()).toEqual([
    { day: "2026-03-02", kind: "key_used", count: 1 },
    { day: "2026-03-01", kind: "key_refused", count: 2 },
    { day: "2026-03-01", kind: "key_used", count: 3 },
  ]);
  expect(await counts("?from=2026-03-02")).toEqual([{ day: "2026-03-02", kind: "key_used", count: 1 }]);
  expect(await counts("", theirs.key)).toEqual([{ day: "2026-03-01", kind: "sign_in_failed", count: 1 }]);
  const unknown = await runOn(
    platform.config.DATABASE_URL,
    "select kind, count::int from security_counts where organization_id = '00000000-0000-0000-0000-000000000000'",
  );
  expect(unknown).toEqual([{ kind: "key_refused", count: 2 }]);
});

test("counts of several processes add up, and a database that does not respond loses none", async () => {
  now = now.add({ hours: 24 });
  const app = await openApi();
  await Promise.all([
    call("GET", "/taxes"),
    app.inject({ url: "/api/v1/taxes", headers: { authorization: `Bearer ${mine.key}` } }),
  ]);
  const url = platform.config.DATABASE_URL;
  await runOn(url, "alter table security_counts rename to elsewhere");
  await platform.flushSecurity();
  await runOn(url, "alter table elsewhere rename to security_counts");
  await platform.flushSecurity();
  await app.close();
  expect(await counts("?from=2026-03-03")).toEqual([{ day: "2026-03-03", kind: "key_used", count: 2 }]);
});

test("sign-ins and failures are in the security log of each organization of the person", async () => {
  now = now.add({ hours: 48 });
  const { email } = await setUpOwner(service, theirs.id);
  const signIn = (address: string, password: string) =>
    openBrowser(app).send("POST", "/session", { email: address, password });
  expect((await signIn(email, PASSWORD)).status).toBe(200);
  for (const [address, password] of [
    [email, "wrong horse battery"],
    ["unknown@example.com", PASSWORD],
  ] as const)
    expect((await signIn(address, password)).status).toBe(401);
  await platform.flushSecurity();
  const ofSignIns = (rows: { kind: string }[]) => rows.filter(({ kind }) => kind.startsWith("sign_in"));
  const day = "2026-03-05";
  // The setup link signed in as well.
  expect(ofSignIns(await counts(`?from=${day}`, theirs.key))).toEqual([
    { day, kind: "sign_in_failed", count: 1 },
    { day, kind: "sign_in_succeeded", count: 2 },
  ]);
  expect(ofSignIns(await counts(`?from=${day}`))).toEqual([]);
});

test("a day that is none is refused", async () => {
  expect((await call("GET", "/security_log?from=2026-02-31")).status).toBe(422);
});
