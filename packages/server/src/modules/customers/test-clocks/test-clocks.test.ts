import { beforeEach, describe, expect, test } from "vitest";
import { type DueKind, scheduleDue } from "../../../jobs/due.ts";
import { publish } from "../../../jobs/outbox.ts";
import { newId } from "../../../platform/new-id.ts";
import { alone } from "../../../platform/postgres/batch.ts";
import { inOrganization } from "../../../platform/postgres/database.ts";
import { startTallystick } from "../../../testing/start-tallystick.ts";
import { startAdvance } from "./advance-test-clock.ts";
import { resumeAdvance } from "./index.ts";
import { findTestClock, updateTestClock } from "./store.ts";

let realNow = Temporal.Instant.from("2026-06-01T00:00:00Z");
let ran: string[] = [];
let breakAt: string | undefined;
/** The error of the failing step. A permanent error parks the row. */
let failure: Error = new Error("out of paper");
/** Runs in the middle of the step at this instant. */
let onStep: { at: string; happens: () => Promise<void> } | undefined;

/** Monthly billing in small: at each instant it leaves a mark, and schedules the next one by the calendar. */
const monthly: DueKind = {
  kind: "monthly",
  rank: 51,
  settles: true,
  run: async (batch, due) => {
    const testClockId = clockOf.get(due.customerId ?? "") ?? null;
    const testClock = await findTestClock(batch.tx, due.organizationId, testClockId ?? "");
    const change = { webhookType: "test.billed", objectType: "x", objectId: newId(), object: {} };
    await publish(batch, due.organizationId, change, realNow);
    if (onStep?.at === due.dueAt.toString()) await onStep.happens();
    if (breakAt === due.dueAt.toString()) throw failure;
    ran.push(`${due.dueAt} with the clock at ${testClock?.now}`);
    const next = due.dueAt.toZonedDateTimeISO("UTC").add({ months: 1 }).toInstant();
    await scheduleDue(batch, platform.registry, due.organizationId, {
      kind: "monthly",
      subjectId: due.subjectId,
      customer: { id: due.customerId ?? "", testClockId },
      dueAt: next,
    });
  },
};
const clockOf = new Map<string, string>();

/** Committed marks, as opposed to marks that were only attempted. */
const published: string[] = [];
const service = await startTallystick({
  clock: { now: () => realNow },
  dueKinds: [monthly],
  subscribers: [async (_tx, { webhookType }) => void published.push(webhookType)],
});
const { call, drain, platform, organizations } = service;
const other = { key: organizations[1]?.key ?? "" };
const organizationId = organizations[0]?.id ?? "";

const makeClock = async (now: string) =>
  (await call("POST", "/test_clocks", { test_clock: { name: "year", now } })).body.test_clock;
const advance = (id: string, now: string, options = {}) =>
  call("POST", `/test_clocks/${id}/advance`, { test_clock: { now } }, options);

async function billedCustomer(testClockId: string, firstDue: string): Promise<string> {
  const { body } = await call("POST", "/customers", { customer: { external_id: newId(), test_clock_id: testClockId } });
  const { svc_id: id } = body.customer;
  clockOf.set(id, testClockId);
  await inOrganization(platform.db, organizationId, (tx) =>
    scheduleDue(alone(tx), platform.registry, organizationId, {
      kind: "monthly",
      subjectId: id,
      customer: { id, testClockId },
      dueAt: Temporal.Instant.from(firstDue),
    }),
  );
  return body.customer.external_id;
}

beforeEach(() => {
  ran = [];
  breakAt = undefined;
  failure = Object.assign(new Error("the engine is away"), { retryAfterSeconds: 5 });
  onStep = undefined;
});

test("a clock is created, shown, listed and deleted", async () => {
  const clock = await makeClock("2024-01-01T00:00:00Z");
  expect(clock).toEqual({
    svc_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    name: "year",
    now: "2024-01-01T00:00:00Z",
    status: "ready",
    reached: null,
    advancing_to: null,
    created_at: "2026-06-01T00:00:00Z",
  });
  expect((await call("GET", `/test_clocks/${clock.svc_id}`)).body).toEqual({ test_clock: clock });
  expect((await call("GET", "/test_clocks")).body.test_clocks).toEqual([clock]);
  expect((await call("GET", "/test_clocks", undefined, other)).body.test_clocks).toEqual([]);
  expect((await call("GET", `/test_clocks/${clock.svc_id}`, undefined, other)).body.code).toBe("test_clock_not_found");
  expect((await advance(clock.svc_id, "2025-01-01T00:00:00Z", other)).status).toBe(404);
  await call("DELETE", `/test_clocks/${clock.svc_id}`);
  expect((await call("GET", `/test_clocks/${clock.svc_id}`)).status).toBe(404);
});

test("a year passes in one call: everything due runs in order, each at its own instant", async () => {
  const { svc_id } = await makeClock("2024-01-01T00:00:00Z");
  await billedCustomer(svc_id, "2024-02-01T00:00:00Z");
  const { body } = await advance(svc_id, "2024-12-31T00:00:00Z");
  expect(body.test_clock).toMatchObject({ now: "2024-12-31T00:00:00Z", status: "ready", reached: null });
  expect(ran).toEqual(
    Array.from({ length: 11 }, (_, index) => {
      const instant = `2024-${String(index + 2).padStart(2, "0")}-01T00:00:00Z`;
      return `${instant} with the clock at ${instant}`;
    }),
  );
});

test("what is due exactly at the target of the advance is done; what is due later is not", async () => {
  const { svc_id } = await makeClock("2024-01-01T00:00:00Z");
  await billedCustomer(svc_id, "2024-02-01T00:00:00Z");
  await advance(svc_id, "2024-01-31T23:59:59Z");
  expect(ran).toEqual([]);
  await advance(svc_id, "2024-02-01T00:00:00Z");
  expect(ran).toHaveLength(1);
});

describe("time never goes back", () => {
  test.each(["2023-12-31T23:59:59.999999Z", "2023-12-31T23:59:59Z"])("an advance to %s is refused", async (now) => {
    const { svc_id } = await makeClock("2024-01-01T00:00:00Z");
    const { status, body } = await advance(svc_id, now);
    expect([status, body.error_details]).toEqual([422, { now: ["must_be_after_current_time"] }]);
  });

  test("an advance to the current time of the clock answers 200 and changes nothing", async () => {
    const { svc_id } = await makeClock("2024-01-01T00:00:00Z");
    await billedCustomer(svc_id, "2024-02-01T00:00:00Z");
    const first = await advance(svc_id, "2024-02-01T00:00:00Z");
    for (const now of ["2024-02-01T00:00:00Z", "2024-02-01T01:00:00+01:00"]) {
      const { status, body } = await advance(svc_id, now);
      expect([status, body]).toEqual([200, first.body]);
    }
    expect(ran).toHaveLength(1);
  });

  test("an SQL statement cannot turn it back", async () => {
    const { svc_id } = await makeClock("2024-01-01T00:00:00Z");
    const back = inOrganization(platform.db, organizationId, (tx) =>
      updateTestClock(tx, organizationId, svc_id, { now: Temporal.Instant.from("2023-01-01T00:00:00Z") }),
    );
    await expect(back).rejects.toThrow("would go back");
  });
});

test.each([undefined, null, "", "tomorrow", "2024-13-01T00:00:00Z", 1704067200])(
  "%j is not an instant for a clock",
  async (now) => {
    const { status, body } = await call("POST", "/test_clocks", { test_clock: { name: "n", now } });
    expect(status).toBe(422);
    expect(Object.keys(body.error_details)).toEqual(["now"]);
  },
);

test("an advance whose process was killed is continued by a worker, with the same result", async () => {
  const { svc_id } = await makeClock("2024-01-01T00:00:00Z");
  const externalId = await billedCustomer(svc_id, "2024-02-01T00:00:00Z");
  // The target is committed; then the process that would do the work is gone.
  await inOrganization(platform.db, organizationId, (tx) =>
    startAdvance(tx, organizationId, { id: svc_id, to: Temporal.Instant.from("2024-12-31T00:00:00Z"), now: realNow }),
  );
  expect((await call("GET", `/test_clocks/${svc_id}`)).body.test_clock).toMatchObject({
    status: "advancing",
    reached: "2024-01-01T00:00:00Z",
    advancing_to: "2024-12-31T00:00:00Z",
  });
  const refused = { status: 405, error: "Method Not Allowed", code: "test_clock_advancing" };
  expect((await advance(svc_id, "2026-01-01T00:00:00Z")).body).toMatchObject(refused);
  expect((await call("POST", "/customers", { customer: { external_id: externalId, name: "n" } })).body).toEqual(
    refused,
  );
  expect((await call("POST", "/customers", { customer: { external_id: "new", test_clock_id: svc_id } })).body).toEqual(
    refused,
  );
  expect((await call("DELETE", `/customers/${externalId}`)).body).toMatchObject(refused);
  expect((await call("DELETE", `/test_clocks/${svc_id}`)).body).toMatchObject(refused);
  expect(await resumeAdvance(platform)).toBe(false);
  realNow = realNow.add({ seconds: 6 });
  expect(await resumeAdvance(platform)).toBe(true);
  expect((await call("GET", `/test_clocks/${svc_id}`)).body.test_clock).toMatchObject({
    status: "ready",
    now: "2024-12-31T00:00:00Z",
  });
  expect(ran).toHaveLength(11);
  expect((await call("POST", "/customers", { customer: { external_id: externalId, name: "n" } })).status).toBe(200);
});

test("a step with a temporary error stops the clock before it and is retried; nothing happens twice", async () => {
  const { svc_id } = await makeClock("2024-01-01T00:00:00Z");
  await billedCustomer(svc_id, "2024-02-01T00:00:00Z");
  await drain();
  published.length = 0;
  breakAt = "2024-04-01T00:00:00Z";
  const { body } = await advance(svc_id, "2024-12-31T00:00:00Z");
  expect(body.test_clock).toMatchObject({ status: "advancing", reached: "2024-03-01T00:00:00Z" });
  breakAt = undefined;
  realNow = realNow.add({ minutes: 1 });
  await resumeAdvance(platform);
  expect(new Set(ran).size).toBe(11);
  await drain();
  expect(published).toHaveLength(11);
});

test("a step that cannot be done is parked, and the clock reaches its target", async () => {
  const { svc_id } = await makeClock("2024-01-01T00:00:00Z");
  await billedCustomer(svc_id, "2024-02-01T00:00:00Z");
  await billedCustomer(svc_id, "2024-04-01T00:00:00Z");
  await drain();
  published.length = 0;
  breakAt = "2024-05-01T00:00:00Z";
  failure = new Error("out of paper");
  const { body } = await advance(svc_id, "2024-06-15T00:00:00Z");
  expect(body.test_clock).toMatchObject({ status: "ready", now: "2024-06-15T00:00:00Z" });
  // The row of May of both customers; this kind schedules no successor without it.
  await drain();
  expect(published.splice(0).sort()).toEqual([
    ...["billing.parked", "billing.parked"],
    ...["test.billed", "test.billed", "test.billed", "test.billed"],
  ]);
  const { parked_items: parked } = (await call("GET", "/parked_items")).body;
  expect(parked).toMatchObject([
    { reason: "out of paper", attempts: 3, status: "parked" },
    { reason: "out of paper", attempts: 3, status: "parked" },
  ]);
  breakAt = undefined;
  for (const { svc_id: id } of parked)
    expect((await call("POST", `/parked_items/${id}/retry`, { reason: "paper came" })).body.parked_item.status).toBe(
      "retried",
    );
  await drain();
  expect(published).toEqual(["test.billed", "test.billed", "test.billed", "test.billed"]);
});

describe("an advance that fails for long", () => {
  const stuck = async () => {
    const { svc_id } = await makeClock("2024-01-01T00:00:00Z");
    const externalId = await billedCustomer(svc_id, "2024-02-01T00:00:00Z");
    breakAt = "2024-04-01T00:00:00Z";
    expect((await advance(svc_id, "2024-12-31T00:00:00Z")).body.test_clock.status).toBe("advancing");
    return { svc_id, externalId };
  };

  test("can be canceled: the clock stays at the instant it has reached, and can be advanced again", async () => {
    const { svc_id, externalId } = await stuck();
    const { status, body } = await call("POST", `/test_clocks/${svc_id}/cancel`);
    expect([status, body.test_clock]).toMatchObject([
      200,
      { status: "ready", now: "2024-03-01T00:00:00Z", reached: null, advancing_to: null },
    ]);
    expect((await call("POST", "/customers", { customer: { external_id: externalId, name: "n" } })).status).toBe(200);
    expect((await call("POST", `/test_clocks/${svc_id}/cancel`)).body).toEqual(body);
    breakAt = undefined;
    expect((await advance(svc_id, "2024-12-31T00:00:00Z")).body.test_clock.status).toBe("ready");
    expect(new Set(ran).size).toBe(11);
  });

  test("does not prevent the deletion of the clock", async () => {
    const { svc_id, externalId } = await stuck();
    expect((await call("DELETE", `/test_clocks/${svc_id}`)).status).toBe(200);
    expect((await call("GET", `/test_clocks/${svc_id}`)).status).toBe(404);
    expect((await call("GET", `/customers/${externalId}`)).status).toBe(404);
  });

  test("a clock of another organization cannot be canceled", async () => {
    const { svc_id } = await stuck();
    expect((await call("POST", `/test_clocks/${svc_id}/cancel`, undefined, other)).body.code).toBe(
      "test_clock_not_found",
    );
    await call("POST", `/test_clocks/${svc_id}/cancel`);
  });
});

test("two workers that continue one clock do every step once", async () => {
  const { svc_id } = await makeClock("2024-01-01T00:00:00Z");
  await billedCustomer(svc_id, "2024-02-01T00:00:00Z");
  await inOrganization(platform.db, organizationId, (tx) =>
    startAdvance(tx, organizationId, { id: svc_id, to: Temporal.Instant.from("2026-01-01T00:00:00Z"), now: realNow }),
  );
  realNow = realNow.add({ seconds: 6 });
  await Promise.all([resumeAdvance(platform), resumeAdvance(platform), resumeAdvance(platform)]);
  expect(ran).toHaveLength(24);
  expect(new Set(ran).size).toBe(24);
});

test("while one worker is in a step of a clock, another one continues another clock", async () => {
  const [first, second] = [await makeClock("2024-01-01T00:00:00Z"), await makeClock("2024-01-02T00:00:00Z")];
  for (const { svc_id: id } of [first, second]) {
    await billedCustomer(id, id === first.svc_id ? "2024-02-01T00:00:00Z" : "2024-02-02T00:00:00Z");
    await inOrganization(platform.db, organizationId, (tx) =>
      startAdvance(tx, organizationId, { id, to: Temporal.Instant.from("2024-03-01T00:00:00Z"), now: realNow }),
    );
    realNow = realNow.add({ seconds: 1 });
  }
  realNow = realNow.add({ seconds: 6 });
  let reached: string[] = [];
  onStep = {
    at: "2024-02-01T00:00:00Z",
    happens: async () => {
      await resumeAdvance(platform);
      reached = [...ran];
    },
  };
  await resumeAdvance(platform);
  expect(reached).toEqual(["2024-02-02T00:00:00Z with the clock at 2024-02-02T00:00:00Z"]);
  expect(ran).toHaveLength(3);
});

test("repeating an advance with its Idempotency-Key repeats the response and moves nothing", async () => {
  const { svc_id } = await makeClock("2024-01-01T00:00:00Z");
  const headers = { "idempotency-key": newId() };
  const first = await advance(svc_id, "2024-03-01T00:00:00Z", { headers });
  await advance(svc_id, "2024-06-01T00:00:00Z");
  const again = await advance(svc_id, "2024-03-01T00:00:00Z", { headers });
  expect(again.text).toBe(first.text);
  expect((await call("GET", `/test_clocks/${svc_id}`)).body.test_clock.now).toBe("2024-06-01T00:00:00Z");
});

test("deleting a clock deletes its customers, however many, and frees their ids", async () => {
  const { svc_id } = await makeClock("2024-01-01T00:00:00Z");
  const ids = Array.from({ length: 130 }, (_, index) => `many-${index}`);
  for (const id of ids) await call("POST", "/customers", { customer: { external_id: id, test_clock_id: svc_id } });
  await call("POST", "/customers", { customer: { external_id: "elsewhere" } });
  await call("DELETE", `/test_clocks/${svc_id}`);
  await service.drain();
  expect(
    (await call("GET", "/customers?per_page=1000")).body.customers.map(
      (one: { external_id: string }) => one.external_id,
    ),
  ).not.toContain("many-129");
  expect((await call("GET", "/customers/many-0")).status).toBe(404);
  expect((await call("GET", "/customers/elsewhere")).status).toBe(200);
  expect(
    (await call("POST", "/customers", { customer: { external_id: "many-0" } })).body.customer.test_clock_id,
  ).toBeNull();
});

test("an organization that is not a sandbox has no test clocks", async () => {
  const live = await startTallystick({ isSandbox: false, organizations: 1 });
  const { status, body } = await live.call("POST", "/test_clocks", { test_clock: { now: "2024-01-01T00:00:00Z" } });
  expect([status, body.code]).toEqual([403, "test_clocks_need_a_sandbox"]);
});
