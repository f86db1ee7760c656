// Usage against the real service; what fails in between is the network.

import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { EventCreate, Spool, TallystickOptions, UsageEvent, UsageOptions } from "./index.ts";
import { openSpool } from "./spool/index.ts";
import { serve } from "./testing/serve.ts";

const service = await serve();

/** How the network treats a request; the last one treats all that follow. */
type Fate = "passes" | "is lost" | "answer is lost" | Response;

function network(...fates: Fate[]): { fetch: typeof fetch; requests: EventCreate[][] } {
  const requests: EventCreate[][] = [];
  return {
    requests,
    fetch: async (url, init) => {
      const fate = fates[Math.min(requests.length, fates.length - 1)] ?? "passes";
      requests.push(JSON.parse(String(init?.body)).events);
      if (fate instanceof Response) return fate.clone();
      if (fate === "is lost") throw new TypeError("connection refused");
      const response = await fetch(url, init);
      if (fate === "answer is lost") throw new TypeError("connection reset");
      return response;
    },
  };
}

type Buffered = Partial<UsageOptions> & { client?: Partial<TallystickOptions> };

const open = ({ client, ...options }: Buffered = {}) =>
  service.open({ retries: 0, ...client }).usage({
    onRejected: (event) => {
      throw new Error(`${event.transaction_id} was rejected`);
    },
    flushAfterMs: 60_000,
    ...options,
  });

let subscriptions = 0;
const newSubscription = () => `sub ${++subscriptions}`;
const usageOf = (external_subscription_id: string, number: number): UsageEvent => ({
  transaction_id: `t${String(number).padStart(4, "0")}`,
  external_subscription_id,
  code: "calls",
  properties: { count: number },
});
const idsTo = (count: number) => Array.from({ length: count }, (_, number) => `t${String(number).padStart(4, "0")}`);

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tallystick-usage-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test("usage is sent in batches, and is stored when flush resolves", async () => {
  const { fetch, requests } = network("passes");
  const usage = open({ client: { fetch } });
  const subscription = newSubscription();
  await Promise.all(Array.from({ length: 250 }, (_, number) => usage.record(usageOf(subscription, number))));
  await usage.flush();
  expect(await service.storedIds(subscription)).toEqual(idsTo(250));
  expect(requests.map((events) => events.length)).toEqual([100, 100, 50]);
  expect(usage.figures).toEqual({ pending: 0, waiting: 0, stored: 250, rejected: 0 });
  await usage.close();
  await expect(usage.record(usageOf(subscription, 1))).rejects.toThrow("closed");
});

test("identity and time are set once, so that a repeat after a lost answer is the same event", async () => {
  const { fetch, requests } = network("answer is lost", "passes");
  const errors: unknown[] = [];
  const usage = open({ client: { fetch }, onError: (error) => errors.push(error) });
  const subscription = newSubscription();
  await usage.record({ external_subscription_id: subscription, code: "calls" });
  await expect(usage.flush()).rejects.toThrow("outcome is unknown");
  expect(usage.pending).toBe(1);
  await usage.flush();
  expect(errors).toHaveLength(1);
  expect(requests[1]).toEqual(requests[0]);
  expect(requests[0]?.[0]).toMatchObject({ transaction_id: expect.any(String), timestamp: expect.any(Number) });
  expect(await service.storedIds(subscription)).toHaveLength(1);
});

test("an event that the service refuses is handed out with its codes, and the others of its batch are stored", async () => {
  const rejected: [string, unknown][] = [];
  const usage = open({ onRejected: async (event, codes) => void rejected.push([event.transaction_id, codes]) });
  const subscription = newSubscription();
  await usage.record(usageOf(subscription, 1));
  await usage.flush();
  // Another event under a stored id, and one without a code.
  await usage.record({ ...usageOf(subscription, 0) });
  await usage.record({ ...usageOf(subscription, 1), properties: { count: 99 } });
  await usage.record({ ...usageOf(subscription, 2), code: "" });
  await usage.record({ ...usageOf(subscription, 3) });
  await usage.flush();
  expect(rejected.sort()).toEqual([
    ["t0001", { transaction_id: ["value_already_exist"] }],
    ["t0002", { code: ["value_is_mandatory"] }],
  ]);
  expect(await service.storedIds(subscription)).toEqual(["t0000", "t0001", "t0003"]);
  expect(usage.figures).toMatchObject({ pending: 0, stored: 3, rejected: 2 });
});

test("an event whose rejection could not be handled is kept, and handed out again", async () => {
  const folder = makeFolder();
  const subscription = newSubscription();
  const usage = open({
    spool: openSpool(folder),
    onRejected: () => Promise.reject(new Error("the log is full")),
  });
  await usage.record({ ...usageOf(subscription, 1), code: "" });
  await expect(usage.close()).rejects.toThrow("the log is full");
  const handed: EventCreate[] = [];
  const next = open({ spool: openSpool(folder), onRejected: (event) => void handed.push(event) });
  await next.close();
  expect(handed).toMatchObject([{ transaction_id: "t0001", code: "" }]);
  expect(readdirSync(folder)).toEqual([]);
});

test("a batch that is too large is split, and an event that is too large alone is handed out", async () => {
  const rejected: string[] = [];
  const usage = open({ onRejected: (event) => void rejected.push(event.transaction_id), batchMax: 10 });
  const subscription = newSubscription();
  for (let number = 0; number < 5; number++)
    await usage.record({ ...usageOf(subscription, number), properties: { text: "x".repeat(400_000) } });
  await usage.record({ ...usageOf(subscription, 5), properties: { text: "x".repeat(1_100_000) } });
  await usage.record(usageOf(subscription, 6));
  await usage.flush();
  const stored = await service.storedIds(subscription);
  expect([...stored, ...rejected].sort()).toEqual(idsTo(7));
  expect(rejected).toContain("t0005");
  expect(stored).toContain("t0006");
});

test("while the service is away, record waits at the limit, nothing is lost, and all arrive in order when it is back", async () => {
  const { fetch, requests } = network(...Array<Fate>(3).fill("is lost"), "passes");
  const usage = open({ client: { fetch }, pendingMax: 3, batchMax: 2 });
  const subscription = newSubscription();
  const recorded: number[] = [];
  const all = Array.from({ length: 8 }, (_, number) =>
    usage.record(usageOf(subscription, number)).then(() => recorded.push(number)),
  );
  await Promise.all(all.slice(0, 3));
  await expect(usage.flush()).rejects.toThrow("outcome is unknown");
  expect(usage.figures).toMatchObject({ pending: 3, waiting: 5 });
  expect(recorded).toEqual([0, 1, 2]);
  await expect(usage.flush()).rejects.toThrow();
  await usage.flush().catch(() => usage.flush());
  await Promise.all(all);
  await usage.flush();
  expect(recorded).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  expect(await service.storedIds(subscription)).toEqual(idsTo(8));
  expect(usage.figures).toEqual({ pending: 0, waiting: 0, stored: 8, rejected: 0 });
  expect(requests.flat().length).toBeGreaterThan(8);
});

test("the answer of a proxy, a wrong key and a limit reject nothing: the events wait", async () => {
  const page = new Response("<html>", { status: 400 });
  const limit = new Response("{}", { status: 429, headers: { "retry-after": "1" } });
  const unauthorized = new Response('{"code":"invalid_api_key"}', { status: 401 });
  const { fetch } = network(page, limit, unauthorized, "passes");
  const usage = open({ client: { fetch } });
  const subscription = newSubscription();
  await usage.record(usageOf(subscription, 0));
  for (const status of [400, 429, 401]) await expect(usage.flush()).rejects.toMatchObject({ status });
  await usage.flush();
  expect(await service.storedIds(subscription)).toEqual(["t0000"]);
});

test("without a call of flush, usage is sent after a moment, and again by itself after a failure", async () => {
  const { fetch } = network("is lost", "passes");
  const { promise, resolve } = Promise.withResolvers<void>();
  const watching: typeof fetch = async (...request) => {
    const response = await fetch(...request);
    resolve();
    return response;
  };
  const usage = open({ client: { fetch: watching }, flushAfterMs: 1 });
  const subscription = newSubscription();
  await usage.record(usageOf(subscription, 0));
  await promise;
  await usage.flush();
  expect(await service.storedIds(subscription)).toEqual(["t0000"]);
});

test("what a process leaves in its spool, the next one sends; the exact text is kept", async () => {
  const folder = makeFolder();
  const subscription = newSubscription();
  const { fetch } = network("is lost");
  const usage = open({ client: { fetch }, spool: openSpool(folder) });
  for (let number = 0; number < 3; number++) await usage.record(usageOf(subscription, number));
  await usage.record({ ...usageOf(subscription, 3), properties: { count: 12345678901234567890n } });
  await expect(usage.close()).rejects.toThrow("outcome is unknown");
  expect(existsSync(join(folder, "lock"))).toBe(false);

  const exact = network("passes");
  const next = open({ client: { fetch: exact.fetch }, spool: openSpool(folder) });
  expect(next.pending).toBe(4);
  await next.close();
  expect(readdirSync(folder)).toEqual([]);
  expect(await service.storedIds(subscription)).toEqual(idsTo(4));
  const { properties } = await service.open({ largeNumbers: "bigint" }).events.get("t0003");
  expect(properties).toEqual({ count: 12345678901234567890n });
});

test("a spool that was left with more than the limit is worked off before record goes on", async () => {
  const folder = makeFolder();
  const subscription = newSubscription();
  const { fetch } = network("is lost");
  const before = open({ client: { fetch }, spool: openSpool(folder) });
  for (let number = 0; number < 5; number++) await before.record(usageOf(subscription, number));
  await expect(before.close()).rejects.toThrow();
  const usage = open({ spool: openSpool(folder), pendingMax: 2 });
  const recorded = usage.record(usageOf(subscription, 5));
  expect(usage.figures).toMatchObject({ pending: 5, waiting: 1 });
  await usage.close();
  await recorded;
  expect(usage.figures).toEqual({ pending: 0, waiting: 0, stored: 6, rejected: 0 });
  expect(await service.storedIds(subscription)).toEqual(idsTo(6));
});

test("a flush waits for what was recorded before it, also when a later record fails", async () => {
  const folder = makeFolder();
  const spool = openSpool(folder);
  const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>();
  const slow: typeof fetch = async (...request) => {
    await mayAnswer;
    return fetch(...request);
  };
  const failing = { ...delegate(spool), append: (text: string) => refuseSecond(spool, text) };
  const usage = open({ client: { fetch: slow }, spool: failing });
  const subscription = newSubscription();
  await usage.record(usageOf(subscription, 1));
  let isFlushed = false;
  const flushed = usage.flush().then(() => {
    isFlushed = true;
  });
  await expect(usage.record(usageOf(subscription, 2))).rejects.toThrow("disk is full");
  expect(isFlushed).toBe(false);
  answer();
  await flushed;
  expect(await service.storedIds(subscription)).toEqual(["t0001"]);
  await usage.close();
});

const delegate = (spool: Spool): Spool => ({
  begin: () => spool.begin(),
  append: (text) => spool.append(text),
  confirm: (place) => spool.confirm(place),
  close: () => spool.close(),
});
const refuseSecond = (spool: Spool, text: string) =>
  text.includes("t0002") ? Promise.reject(new Error("the disk is full")) : spool.append(text);

test("records that wait while the buffer closes without success are refused, and not left hanging", async () => {
  const { fetch } = network("is lost");
  const usage = open({ client: { fetch }, pendingMax: 1 });
  const subscription = newSubscription();
  await usage.record(usageOf(subscription, 0));
  const waiting = usage.record(usageOf(subscription, 1));
  const refused = expect(waiting).rejects.toThrow("outcome is unknown");
  await expect(usage.close()).rejects.toThrow("outcome is unknown");
  await refused;
});
