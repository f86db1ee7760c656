import { expect, it, test } from "vitest";
import { type CallOptions, startTallystick } from "../testing/start-tallystick.ts";
import { forgetOldAnswers } from "./transactions.ts";

let now = Temporal.Instant.from("2026-01-31T12:00:00Z");
const { platform, call, organizations } = await startTallystick({ clock: { now: () => now } });
const other = organizations[1]?.key ?? "";

const with_ = (key: string, options: CallOptions = {}): CallOptions => ({
  ...options,
  headers: { "idempotency-key": key },
});
const aTax = (code: string, name = "VAT") => ({ tax: { name, code, rate: "20" } });
const aClock = { test_clock: { now: "2026-01-31T00:00:00Z" } };
const countClocks = async (options: CallOptions = {}): Promise<number> =>
  (await call("GET", "/test_clocks", undefined, options)).body.meta.total_count;
const refused = (code: string) => ({
  status: 422,
  error: "Unprocessable Entity",
  code: "validation_errors",
  error_details: { idempotency_key: [code] },
});

test("the same key and body repeat the first response, and do nothing", async () => {
  const first = await call("POST", "/test_clocks", aClock, with_("repeat"));
  const count = await countClocks();
  now = now.add({ minutes: 1 });
  const second = await call("POST", "/test_clocks", aClock, with_("repeat"));
  expect(second.status).toBe(200);
  expect(second.text).toBe(first.text);
  expect(await countClocks()).toBe(count);
  expect((await call("POST", "/test_clocks", aClock)).body).not.toEqual(first.body);
});

test("the answer is repeated although the record has changed since", async () => {
  const first = await call("POST", "/taxes", aTax("changed"), with_("changed"));
  await call("PUT", "/taxes/changed", { tax: { name: "Another", rate: "7" } });
  expect((await call("POST", "/taxes", aTax("changed"), with_("changed"))).text).toBe(first.text);
  await call("DELETE", "/taxes/changed");
  expect((await call("POST", "/taxes", aTax("changed"), with_("changed"))).text).toBe(first.text);
  expect((await call("GET", "/taxes/changed")).status).toBe(404);
});

test("the same key with another body or path is refused", async () => {
  await call("POST", "/taxes", aTax("one"), with_("taken"));
  const answer = await call("POST", "/taxes", aTax("two"), with_("taken"));
  expect(answer.status).toBe(422);
  expect(answer.body).toMatchObject(refused("value_already_exist"));
  expect((await call("POST", "/test_clocks", aClock, with_("taken"))).body).toMatchObject(
    refused("value_already_exist"),
  );
  expect((await call("GET", "/taxes/two")).status).toBe(404);
});

test("a refusal is repeated although the reason for it is gone", async () => {
  await call("POST", "/taxes", aTax("occupied"));
  const first = await call("POST", "/taxes", aTax("occupied", "Second"), with_("refused"));
  expect(first.body.error_details).toEqual({ code: ["value_already_exist"] });
  await call("DELETE", "/taxes/occupied");
  const second = await call("POST", "/taxes", aTax("occupied", "Second"), with_("refused"));
  expect([second.status, second.body]).toEqual([422, first.body]);
  // It is another request, so it has another id.
  expect(second.help).toEqual({ ...first.help, request_id: second.help.request_id });
  expect((await call("POST", "/taxes", aTax("occupied", "Second"), with_("another"))).status).toBe(200);
});

test("a refusal leaves nothing of its effect", async () => {
  const customer = { external_id: "half", name: "Half", tax_codes: ["nowhere"] };
  const first = await call("POST", "/customers", { customer }, with_("half"));
  expect(first.body.code).toBe("tax_not_found");
  expect((await call("GET", "/customers/half")).status).toBe(404);
  const second = await call("POST", "/customers", { customer }, with_("half"));
  expect(second.body).toEqual(first.body);
});

test("what is refused before the work begins does not use up the key", async () => {
  expect((await call("POST", "/taxes", { tax: { name: "No code" } }, with_("early"))).status).toBe(422);
  expect((await call("POST", "/taxes", {}, with_("early"))).status).toBe(400);
  expect((await call("POST", "/taxes", aTax("early"), with_("early", { key: null }))).status).toBe(401);
  expect((await call("POST", "/taxes", aTax("early"), with_("early"))).status).toBe(200);
});

test("concurrent requests with one key have one effect and one response", async () => {
  const before = await countClocks();
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => call("POST", "/test_clocks", aClock, with_("at once"))),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(await countClocks()).toBe(before + 1);
});

test("two concurrent bodies with one key have one effect", async () => {
  const codes = ["left", "right"];
  const answers = await Promise.all(codes.map((code) => call("POST", "/taxes", aTax(code), with_("race"))));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
  const found = await Promise.all(codes.map(async (code) => (await call("GET", `/taxes/${code}`)).status));
  expect(found.sort()).toEqual([200, 404]);
});

test("the same key of another organization is another key", async () => {
  const mine = await call("POST", "/test_clocks", aClock, with_("shared"));
  const theirs = await call("POST", "/test_clocks", aClock, with_("shared", { key: other }));
  expect(theirs.status).toBe(200);
  expect(theirs.body.test_clock.svc_id).not.toBe(mine.body.test_clock.svc_id);
  expect((await call("POST", "/taxes", aTax("shared"), with_("shared", { key: other }))).status).toBe(422);
});

test("a key lives 24 hours; after that the request is processed again", async () => {
  const first = await call("POST", "/test_clocks", aClock, with_("day"));
  const made = now;
  now = made.add({ hours: 24 });
  expect((await call("POST", "/test_clocks", aClock, with_("day"))).text).toBe(first.text);
  now = made.add({ hours: 24, microseconds: 1 });
  const again = await call("POST", "/test_clocks", aClock, with_("day"));
  expect(again.status).toBe(200);
  expect(again.body.test_clock.svc_id).not.toBe(first.body.test_clock.svc_id);
  expect((await call("POST", "/test_clocks", aClock, with_("day"))).text).toBe(again.text);
});

test("the hourly job deletes expired keys, and no others", async () => {
  const rows = async () =>
    (await platform.dispatcherDb.selectFrom("idempotency_keys").select("created_at").execute()).length;
  now = now.add({ hours: 48 });
  await call("POST", "/taxes", aTax("kept"), with_("kept"));
  expect(await rows()).toBeGreaterThan(5);
  await forgetOldAnswers(platform.dispatcherDb, platform.clock);
  expect(await rows()).toBe(1);
  expect((await call("POST", "/taxes", aTax("kept"), with_("kept"))).status).toBe(200);
});

test("a key has 1 to 255 characters", async () => {
  const long = await call("POST", "/taxes", aTax("long"), with_("k".repeat(256)));
  expect(long.status).toBe(422);
  expect(long.body).toMatchObject(refused("value_is_too_long"));
  expect((await call("POST", "/taxes", aTax("long"), with_(" "))).body).toMatchObject(refused("value_is_invalid"));
  expect((await call("GET", "/taxes/long")).status).toBe(404);
  expect((await call("POST", "/taxes", aTax("long"), with_("k".repeat(255)))).status).toBe(200);
});

it.each(["PUT", "DELETE", "GET"] as const)("%s takes no notice of the header", async (method) => {
  const code = `verb-${method}`;
  await call("POST", "/taxes", aTax(code));
  const body = method === "PUT" ? { tax: { name: "First" } } : undefined;
  expect((await call(method, `/taxes/${code}`, body, with_("verb"))).status).toBe(200);
  const other_ = method === "PUT" ? { tax: { name: "Second" } } : undefined;
  const second = await call(method, `/taxes/${code}`, other_, with_("verb"));
  expect(second.status).toBe(method === "DELETE" ? 404 : 200);
  if (method === "PUT") expect(second.body.tax.name).toBe("Second");
});
