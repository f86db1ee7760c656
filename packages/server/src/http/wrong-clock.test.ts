/** A process whose clock is wrong stores nothing, and says so. Its workers pause as well: see jobs/worker.test.ts. */
import { afterEach, expect, test } from "vitest";
import { systemClock } from "../platform/clock.ts";
import { readDatabaseClock } from "../platform/clock-watch.ts";
import { listApiRoutes } from "../testing/list-routes.ts";
import { SAMPLES } from "../testing/sample-requests.ts";
import { startTallystick } from "../testing/start-tallystick.ts";

let wrongBy: Temporal.DurationLike = { seconds: 0 };
let reads = 0;

const { platform, app, call } = await startTallystick({
  clock: { now: () => systemClock.now().add(wrongBy) },
  databaseClock: (db) => {
    reads += 1;
    return readDatabaseClock(db);
  },
});

/** What the heartbeat does every 10 seconds. */
const setClockWrongBy = async (duration: Temporal.DurationLike): Promise<void> => {
  wrongBy = duration;
  await platform.clockWatch.check();
};
afterEach(() => setClockWrongBy({ seconds: 0 }));

const event = (id: string) => ({ event: { transaction_id: id, external_subscription_id: "s", code: "c" } });

test.each([
  ["ahead of", { seconds: 4 }],
  ["behind", { seconds: -4 }],
  ["ahead of", { hours: 24 * 365 }],
])("a clock %s the database's by more than 2 s refuses every write, and /ready says so", async (words, wrong) => {
  await setClockWrongBy(wrong);
  const writes = listApiRoutes(app).filter(({ method }) => method !== "GET" && method !== "HEAD");
  expect(writes.length).toBeGreaterThan(40);
  for (const { method, path } of writes) {
    const sample = SAMPLES[`${method} ${path}`];
    const { status, headers, body, text } = await call(
      method as "POST",
      path.replace(/:\w+/g, "x"),
      sample?.body?.("m", {}),
    );
    expect([status, body.code, headers["retry-after"]], `${method} ${path}`).toEqual([503, "clock_is_wrong", "10"]);
    expect(JSON.parse(text).message).toMatch(/^The clock of this server differs .+ Wait for `Retry-After` seconds/);
  }
  const ready = await app.inject("/ready");
  expect(ready.statusCode).toBe(200);
  expect(ready.json()).toMatchObject({
    ready: true,
    warnings: [expect.stringMatching(`^writes are refused and work is paused, because the clock .+ s ${words}`)],
  });
});

test("events are refused too, with or without a timestamp, and are accepted again when the clock is right", async () => {
  await setClockWrongBy({ seconds: 3 });
  expect((await call("POST", "/events", event("e1"))).status).toBe(503);
  expect((await call("POST", "/events/batch", { events: [{ ...event("e2").event, timestamp: 1 }] })).status).toBe(503);
  await setClockWrongBy({ seconds: 0 });
  expect((await call("POST", "/events", event("e1"))).body.event.outcome).toBe("created");
  expect((await app.inject("/ready")).json().warnings).toEqual([]);
});

test("reads continue, and who has no key learns nothing about the clock", async () => {
  await setClockWrongBy({ hours: 1 });
  expect((await call("GET", "/customers")).status).toBe(200);
  expect((await app.inject("/health")).statusCode).toBe(200);
  expect((await call("POST", "/customers", {}, { key: null })).status).toBe(401);
});

test("a clock that differs by less than 2 s is right", async () => {
  for (const milliseconds of [-1500, 1500]) {
    await setClockWrongBy({ milliseconds });
    expect((await call("POST", "/customers", { customer: { external_id: "c" } })).status).toBe(200);
  }
});

test("a slow answer of the database is not a wrong clock", async () => {
  const slow = await startTallystick({
    clock: { now: () => systemClock.now().add(wrongBy) },
    // The clock moves while the answer is on its way.
    databaseClock: async (db) => {
      const there = await readDatabaseClock(db);
      wrongBy = { seconds: 30 };
      return there;
    },
  });
  expect(slow.platform.clockWatch.isTrusted()).toBe(true);
});

test("the check is in the background: a request never asks for the database's time", async () => {
  reads = 0;
  await call("POST", "/customers", { customer: { external_id: "c" } });
  await call("POST", "/events", event("e3"));
  expect(reads).toBe(0);
});
