// What one caller can make the service do is bounded before the work is done: before the body is read, and before it is validated.

import { connect } from "node:net";
import pg from "pg";
import { afterAll, expect, it, test } from "vitest";
import { runOn } from "../platform/postgres/temporary-database.ts";
import { makeTestKey } from "../testing/make-test-key.ts";
import { startTallystick } from "../testing/start-tallystick.ts";

const free = await startTallystick();
const limited = await startTallystick({ settings: { RATE_LIMIT_OTHER: "2", RATE_LIMIT_ADDRESS: "2" } });
const narrow = await startTallystick({ settings: { REQUESTS_AT_ONCE: "1" } });
const address = await narrow.app.listen({ port: 0, host: "127.0.0.1" });
afterAll(() => narrow.app.close());

const freshKey = async ({ platform, organizations }: typeof limited) =>
  (await makeTestKey(platform, organizations[0]?.id ?? "")).token;

/** The address of a request is that of a network of its own, so that no other test shares its limit. */
const from = (remoteAddress: string, url: string, headers: Record<string, string> = {}) =>
  limited.app.inject({ url, headers, remoteAddress });

it.each([
  [
    "charges of a plan",
    { plan: { name: "P", code: "p", charges: Array.from({ length: 49_000 }, () => 1) } },
    "charges",
  ],
  [
    "codes of taxes",
    { customer: { external_id: "c", tax_codes: Array.from({ length: 1_001 }, () => "a") } },
    "tax_codes",
  ],
])("more than 1,000 %s are refused as one fault", async (_, body, path) => {
  const [name] = Object.keys(body);
  const { status, help } = await free.call("POST", name === "plan" ? "/plans" : "/customers", body);
  expect(status).toBe(422);
  expect(help.errors).toMatchObject([{ code: "too_many_items" }]);
  expect(help.errors[0].path).toContain(path);
});

test("an object with more than 1,000 members is refused as one fault", async () => {
  const properties = Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`m${index}`, 1]));
  const { status, help } = await free.call("POST", "/taxes", { tax: properties });
  expect(status).toBe(422);
  expect(help.errors).toMatchObject([{ path: "tax", code: "too_many_items" }]);
});

test("of the faults of a request the first 20 are reported, and the message says that there are more", async () => {
  const charges = Array.from({ length: 500 }, () => ({ charge_model: "none", billable_metric_id: 1 }));
  const { status, help } = await free.call("POST", "/plans", { plan: { name: "P", code: "p", charges } });
  expect(status).toBe(422);
  expect(help.errors).toHaveLength(20);
  expect(help.message).toMatch(/^20 members or more are wrong; "errors" lists the first\./);
});

test("a request above the rate is refused before its body is read", async () => {
  const key = await freshKey(limited);
  const send = () => limited.call("POST", "/taxes", undefined, { key, raw: "{" });
  const statuses = (await Promise.all([send(), send(), send()])).map(({ status }) => status);
  expect(statuses.sort()).toEqual([400, 400, 429]);
});

test("an address has a limit for keys that do not work, and a key that works is not affected", async () => {
  const wrong = { authorization: "Bearer tsk_wrong" };
  const right = { authorization: `Bearer ${await freshKey(limited)}` };
  expect((await from("203.0.113.1", "/api/v1/taxes", right)).statusCode).toBe(200);
  const refused = await Promise.all([1, 2, 3].map(() => from("203.0.113.1", "/api/v1/taxes", wrong)));
  expect(refused.map(({ statusCode }) => statusCode).sort()).toEqual([401, 401, 429]);
  expect((await from("203.0.113.1", "/api/v1/taxes", right)).statusCode).toBe(200);
  expect((await from("203.0.113.2", "/api/v1/taxes", wrong)).statusCode).toBe(401);
});

test("an address has a limit for what needs no key, but not for probes", async () => {
  const answers = await Promise.all([1, 2, 3].map(() => from("203.0.113.3", "/openapi.json")));
  expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 200, 429]);
  const probes = await Promise.all([1, 2, 3].map(() => from("203.0.113.3", "/health")));
  expect(probes.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200]);
});

test("a key has a limit of requests at once, and one whose client goes away no longer counts", async () => {
  const key = await freshKey(narrow);
  const ask = async () =>
    (await fetch(`${address}/api/v1/taxes`, { headers: { authorization: `Bearer ${key}` } })).status;
  // From now on the key is known, and nothing is awaited before a request counts.
  expect(await ask()).toBe(200);
  const socket = connect(Number(new URL(address).port), "127.0.0.1");
  const isUnderWay = new Promise((resolve) => socket.once("data", resolve));
  const isOver = new Promise((resolve) => socket.once("close", resolve));
  // The body never comes, so the request stays under way.
  const head = ["POST /api/v1/taxes HTTP/1.1", "Host: a", `Authorization: Bearer ${key}`];
  socket.write(
    `${[...head, "Content-Type: application/json", "Content-Length: 10", "Expect: 100-continue"].join("\r\n")}\r\n\r\n`,
  );
  expect(String(await isUnderWay)).toContain("100 Continue");
  expect(await ask()).toBe(429);
  socket.destroy();
  await isOver;
  await expect.poll(ask, { timeout: 60_000 }).toBe(200);
});

/** Three of these bodies are more than a key may save up. */
const WIDE = " ".repeat(950_000);
const counted = await startTallystick({ settings: { RATE_LIMIT_KILOBYTES: "2000" } });
const countedAddress = await counted.app.listen({ port: 0, host: "127.0.0.1" });
afterAll(() => counted.app.close());

async function post(key: string, body: NonNullable<RequestInit["body"]>): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const init = { method: "POST", headers, body, duplex: "half" } as RequestInit;
  return (await fetch(`${countedAddress}/api/v1/taxes`, init)).status;
}

test("a body in chunks counts towards the bytes of its key, as one with a length does", async () => {
  for (const toBody of [() => WIDE, () => new Blob([WIDE]).stream()]) {
    const key = await freshKey(counted);
    const statuses = new Set<number>();
    await expect
      .poll(async () => statuses.add(await post(key, toBody())).has(429), { interval: 1, timeout: 60_000 })
      .toBe(true);
    expect([...statuses]).toEqual([400, 429]);
  }
});

test("of many requests for large answers at once, those that waited are refused when the bytes of the key are used up", async () => {
  const scarce = await startTallystick({ settings: { RATE_LIMIT_KILOBYTES: "100" } });
  const { billable_metric } = (
    await scarce.call("POST", "/billable_metrics", {
      billable_metric: { name: "Calls", code: "calls", aggregation_type: "count_agg" },
    })
  ).body;
  const charge = { billable_metric_id: billable_metric.svc_id, charge_model: "standard", properties: { amount: "1" } };
  const charges = Array.from({ length: 500 }, () => charge);
  const plan = {
    name: "Wide",
    code: "wide",
    interval: "monthly",
    amount_cents: 0,
    amount_currency: "EUR",
    pay_in_advance: false,
    charges,
  };
  expect((await scarce.call("POST", "/plans", { plan })).status).toBe(200);
  const key = await freshKey(scarce);
  const ask = () => scarce.call("GET", "/plans/wide", undefined, { key });
  // From now on the key is known, so that all of the following are admitted before the first is answered.
  expect((await scarce.call("GET", "/taxes", undefined, { key })).status).toBe(200);
  const url = scarce.platform.config.DATABASE_URL;
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  await holder.query("begin; lock table plans in access exclusive mode");
  const answers = Array.from({ length: 10 }, ask);
  const waiting =
    "select count(*)::int from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  await expect.poll(() => runOn(url, waiting), { timeout: 60_000 }).toEqual([{ count: 3 }]);
  await holder.end();
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  expect(statuses.sort()).toEqual([200, 200, 200, ...Array.from({ length: 7 }, () => 429)]);
});

test("a length that is refused is not charged beyond what a body may have", async () => {
  const key = await freshKey(counted);
  const { port } = new URL(countedAddress);
  const socket = connect(Number(port), "127.0.0.1");
  const head = ["POST /api/v1/taxes HTTP/1.1", "Host: a", `Authorization: Bearer ${key}`];
  const isRefused = new Promise<string>((resolve) => socket.once("data", (data) => resolve(String(data))));
  socket.write(`${[...head, "Content-Type: application/json", "Content-Length: 9999999999"].join("\r\n")}\r\n\r\n`);
  expect(await isRefused).toContain("413");
  socket.destroy();
  expect(await post(key, "{}")).toBe(400);
});
