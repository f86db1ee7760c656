/** Many simultaneous requests about one external id: one outcome, nothing twice, nothing that overlaps, and no server errors. */
import { beforeEach, describe, expect, it, test, vi } from "vitest";
import { type DueKind, scheduleDue } from "../../jobs/due.ts";
import { lockCustomer } from "../../jobs/due-store.ts";
import { createDueRunner } from "../../jobs/run-dues.ts";
import { systemClock } from "../../platform/clock.ts";
import { newId } from "../../platform/new-id.ts";
import { alone } from "../../platform/postgres/batch.ts";
import { inOrganization } from "../../platform/postgres/database.ts";
import { PassingFault } from "../../platform/postgres/passing-fault.ts";
import { somebodyWaits } from "../../testing/somebody-waits.ts";
import { type Answer, startTallystick } from "../../testing/start-tallystick.ts";
import { verify } from "../../verify/index.ts";
import { resumeAdvance } from "../customers/index.ts";

vi.setConfig({ testTimeout: 60_000 });

const MANY = 64;
const CLOCK_BEGINS = Temporal.Instant.from("2026-01-31T12:00:00Z");

/** It advances between two requests, as a real clock does. Tests in which days pass move it ahead. */
let ahead = Temporal.Duration.from({ hours: 0 });
const clock = { now: () => systemClock.now().add(ahead) };

/** An advance that reaches this row goes no further. */
const stuck: DueKind = { kind: "stuck", rank: 1, settles: false, run: () => Promise.reject(new PassingFault("stuck")) };

let onBegun: () => void = () => undefined;
let mayEnd: () => void = () => undefined;
/** A worker that runs this row works until the test releases it. */
const slow: DueKind = {
  kind: "slow",
  rank: 2,
  settles: false,
  run: () => {
    onBegun();
    return new Promise<void>((resolve) => {
      mayEnd = resolve;
    });
  },
};

const { call, drain, platform, organizations } = await startTallystick({
  clock,
  dueKinds: [slow, stuck],
  settings: { DATABASE_CONNECTIONS: "20" },
});

type Subscription = {
  svc_id: string;
  status: string;
  plan_code: string;
  started_at: string | null;
  terminated_at: string | null;
  canceled_at: string | null;
};

const PLANS = ["free", "small", "medium", "large"];

/** Monthly in arrears and weekly in advance, so that the yearly amounts rise. */
for (const [code, index] of [...PLANS.entries(), [3, "other large"] as const].map(
  ([index, code]) => [code, index] as const,
)) {
  const isWeekly = index % 2 === 1;
  const plan = {
    name: code,
    code,
    interval: isWeekly ? "weekly" : "monthly",
    amount_cents: index * 10_000,
    amount_currency: "EUR",
    pay_in_advance: isWeekly,
  };
  expect((await call("POST", "/plans", { plan })).status).toBe(200);
}

let externalId = "";
let customer = "";
beforeEach(() => {
  externalId = `sub ${newId()}`;
  customer = `customer ${newId()}`;
});

const subscribe = (plan_code: string, added: object = {}): Promise<Answer> =>
  call("POST", "/subscriptions", {
    subscription: { external_customer_id: customer, external_id: externalId, plan_code, ...added },
  });
const end = (status = "active"): Promise<Answer> =>
  call("DELETE", `/subscriptions/${encodeURIComponent(externalId)}?status=${status}`);
/** Another plan each time, and sometimes an end. */
const ask = (number: number): Promise<Answer> => (number % 5 === 4 ? end() : subscribe(planOf(number)));
const advance = (testClockId: string, to: Temporal.Instant): Promise<Answer> =>
  call("POST", `/test_clocks/${testClockId}/advance`, { test_clock: { now: to.toString() } });
const atOnce = <T>(count: number, ask: (number: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, number) => ask(number)));
const planOf = (number: number): string => PLANS[number % PLANS.length] ?? "";

/** How often each answer occurred. */
function tally(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, body } of answers) {
    const details = body.error_details && JSON.stringify(body.error_details);
    const answer = [status, details ?? body.code].filter(Boolean).join(" ");
    counts[answer] = (counts[answer] ?? 0) + 1;
  }
  return counts;
}

/** All subscriptions that the customer ever had, in the order of their starts. */
async function history(): Promise<Subscription[]> {
  const statuses = ["active", "pending", "terminated", "canceled"].map((status) => `status[]=${status}`).join("&");
  const path = `/subscriptions?${statuses}&external_customer_id=${encodeURIComponent(customer)}&per_page=1000`;
  return (await call("GET", path)).body.subscriptions;
}

const withStatus = (all: readonly Subscription[], status: string): Subscription[] =>
  all.filter((one) => one.status === status);

/** Subscriptions follow each other: each began when, or after, the one before had ended. */
function demandOneAfterTheOther(all: readonly Subscription[]): void {
  expect(withStatus(all, "active").length).toBeLessThanOrEqual(1);
  expect(withStatus(all, "pending").length).toBeLessThanOrEqual(1);
  const begun = all.filter(({ started_at }) => started_at !== null);
  const ends = begun.flatMap(({ terminated_at }) => terminated_at ?? []).sort();
  const starts = begun.flatMap(({ started_at }) => started_at ?? []).sort();
  expect(starts.length - ends.length).toBe(withStatus(all, "active").length);
  expect(starts.slice(1).filter((startedAt, index) => startedAt < (ends[index] ?? ""))).toEqual([]);
}

async function demandClean(): Promise<void> {
  const findings = await verify(platform.config.DATABASE_URL, { now: clock.now() });
  expect(findings.filter(({ broken }) => broken > 0)).toEqual([]);
}

async function makeCustomer(added: object = {}): Promise<void> {
  expect((await call("POST", "/customers", { customer: { external_id: customer, ...added } })).status).toBe(200);
}

async function makeClock(): Promise<string> {
  const { body } = await call("POST", "/test_clocks", { test_clock: { now: CLOCK_BEGINS.toString() } });
  return body.test_clock.svc_id;
}

test("requests while weeks pass and several workers run what is due", async () => {
  await makeCustomer();
  const answers: Answer[] = [];
  const work = async (): Promise<void> => {
    const runDues = createDueRunner(platform, platform.registry);
    for (let turn = 0; turn < 12; turn++) {
      ahead = ahead.add({ hours: 3 * 24 });
      while (await runDues());
    }
  };
  const askOften = async (lane: number): Promise<void> => {
    for (let turn = 0; turn < MANY / 4; turn++) answers.push(await ask(lane + turn));
  };
  await Promise.all([atOnce(4, askOften), atOnce(3, work)]);
  await drain();
  const known = /^(200|404 subscription_not_found)$/;
  expect(Object.keys(tally(answers)).filter((answer) => !known.test(answer))).toEqual([]);
  demandOneAfterTheOther(await history());
  await demandClean();
});

test("the same request many times makes one subscription, and every response shows it", async () => {
  await makeCustomer();
  const answers = await atOnce(MANY, () => subscribe("small"));
  expect(tally(answers)).toEqual({ 200: MANY });
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect((await history()).map(({ status }) => status)).toEqual(["active"]);
  await demandClean();
});

test("an unknown customer is created once, with one subscription", async () => {
  const answers = await atOnce(MANY, () => subscribe("small"));
  expect(tally(answers)).toEqual({ 200: MANY });
  expect(new Set(answers.map(({ body }) => body.subscription.svc_customer_id)).size).toBe(1);
  expect((await history()).map(({ status }) => status)).toEqual(["active"]);
  await demandClean();
});

it.each([
  ["that exist", { isKnown: true, later: {} }],
  ["that do not exist yet", { isKnown: false, later: {} }],
  ["some of whom begin later", { isKnown: true, later: { subscription_at: "2099-01-01T00:00:00Z" } }],
])("of many customers %s and request one external id, one gets it", async (_, { isKnown, later }) => {
  const names = Array.from({ length: MANY }, (__, number) => `${customer} ${number}`);
  if (isKnown) for (const external_id of names) await call("POST", "/customers", { customer: { external_id } });
  const answers = await atOnce(MANY, (number) =>
    subscribe("small", { external_customer_id: names[number], ...(number % 2 === 0 ? {} : later) }),
  );
  expect(tally(answers)).toEqual({ 200: 1, '422 {"external_id":["value_already_exist"]}': MANY - 1 });
  await demandClean();
});

describe.each([
  ["of a customer on the real clock", false],
  ["of a customer whose clock does not move", true],
])("changes of plan %s", (_, isOnTestClock) => {
  const settle = async () => makeCustomer(isOnTestClock ? { test_clock_id: await makeClock() } : {});

  test("to more expensive and cheaper ones follow each other without a gap", async () => {
    await settle();
    await subscribe("free");
    const answers = await atOnce(MANY, (number) => subscribe(planOf(number)));
    expect(tally(answers)).toEqual({ 200: MANY });
    const all = await history();
    expect(withStatus(all, "active").map((one) => one.plan_code)).toEqual(["large"]);
    demandOneAfterTheOther(all);
    await demandClean();
  });

  test("between two that cost the same each take effect at once, one after the other", async () => {
    await settle();
    await subscribe("large");
    const answers = await atOnce(MANY / 2, (number) => subscribe(number % 2 === 0 ? "other large" : "large"));
    expect(tally(answers)).toEqual({ 200: MANY / 2 });
    const all = await history();
    expect(withStatus(all, "terminated").length).toBeGreaterThan(1);
    demandOneAfterTheOther(all);
    await demandClean();
  });

  test("to the same more expensive one end the old one once", async () => {
    await settle();
    await subscribe("small");
    const answers = await atOnce(MANY, () => subscribe("large"));
    expect(tally(answers)).toEqual({ 200: MANY });
    expect(new Set(answers.map(({ body }) => body.subscription.svc_id)).size).toBe(1);
    expect((await history()).map((one) => [one.status, one.plan_code]).sort()).toEqual([
      ["active", "large"],
      ["terminated", "small"],
    ]);
    await demandClean();
  });

  test("to the same cheaper one wait once", async () => {
    await settle();
    await subscribe("large");
    const answers = await atOnce(MANY, () => subscribe("small"));
    expect(tally(answers)).toEqual({ 200: MANY });
    expect((await history()).map((one) => [one.status, one.plan_code]).sort()).toEqual([
      ["active", "large"],
      ["pending", "small"],
    ]);
    await demandClean();
  });

  test("mixed with ends: each request is answered, subscriptions follow each other, and at most one is left", async () => {
    await settle();
    const answers = await atOnce(MANY, (number) => {
      if (number % 4 === 1) return end();
      return number % 4 === 3 ? end("pending") : subscribe(planOf(number / 2));
    });
    const { 200: done = 0, "404 subscription_not_found": notFound = 0, ...others } = tally(answers);
    expect(others).toEqual({});
    expect(done).toBeGreaterThanOrEqual(MANY / 2);
    expect(done + notFound).toBe(MANY);
    demandOneAfterTheOther(await history());
    await demandClean();
  });
});

test("ends of one subscription end it once", async () => {
  await subscribe("small");
  expect(tally(await atOnce(MANY, () => end()))).toEqual({ 200: 1, "404 subscription_not_found": MANY - 1 });
  expect((await history()).map(({ status }) => status)).toEqual(["terminated"]);
  await demandClean();
});

/** On a slow machine a step may take too long; it is then retried later. */
async function untilReady(testClockId: string): Promise<void> {
  const status = async () => (await call("GET", `/test_clocks/${testClockId}`)).body.test_clock.status;
  for (let attempt = 0; attempt < 5 && (await status()) !== "ready"; attempt++) {
    ahead = ahead.add({ minutes: 2 });
    await resumeAdvance(platform);
  }
  expect(await status()).toBe("ready");
}

test("requests at the moment of an advance are decided before it, after it, or refused", async () => {
  const testClockId = await makeClock();
  await makeCustomer({ test_clock_id: testClockId });
  const answers: Answer[] = [];
  for (let week = 1; week <= MANY / 2; week++) {
    const advanced = advance(testClockId, CLOCK_BEGINS.add({ hours: week * 7 * 24 }));
    answers.push(...(await atOnce(4, (number) => ask(week + number))));
    expect((await advanced).status).toBe(200);
    await untilReady(testClockId);
  }
  const known = /^(200|404 subscription_not_found|405 test_clock_advancing)$/;
  expect(Object.keys(tally(answers)).filter((answer) => !known.test(answer))).toEqual([]);
  demandOneAfterTheOther(await history());
  await demandClean();
});

test("while a clock advances, every change to a subscription on it is refused", async () => {
  const testClockId = await makeClock();
  await makeCustomer({ test_clock_id: testClockId });
  const { body } = await subscribe("large");
  const [organizationId, id] = [organizations[0]?.id ?? "", body.subscription.svc_customer_id];
  const dueAt = CLOCK_BEGINS.add({ hours: 1 });
  const due = { kind: stuck.kind, subjectId: newId(), customer: { id, testClockId }, dueAt };
  await inOrganization(platform.db, organizationId, (tx) =>
    scheduleDue(alone(tx), platform.registry, organizationId, due),
  );
  const { body: advanced } = await advance(testClockId, dueAt);
  expect(advanced.test_clock.status).toBe("advancing");
  const path = `/subscriptions/${encodeURIComponent(externalId)}`;
  const answers = await Promise.all([
    subscribe("small"),
    subscribe("small", { external_id: `${externalId} 2` }),
    call("PUT", path, { subscription: { name: "other" } }),
    end(),
  ]);
  expect(tally(answers)).toEqual({ "405 test_clock_advancing": 4 });
});

describe("only one transaction at a time works for a customer", () => {
  const organizationId = organizations[0]?.id ?? "";

  const holding = (customerId: string, work: () => Promise<void>): Promise<void> =>
    inOrganization(platform.db, organizationId, async (tx) => {
      await lockCustomer(tx, organizationId, customerId);
      await work();
    });

  /** The only row that is due: rows left by earlier tests run first. */
  async function scheduleFor(kind: string): Promise<string> {
    await drain();
    const { body } = await call("POST", "/customers", { customer: { external_id: customer } });
    const { svc_id: id } = body.customer;
    const due = { kind, subjectId: newId(), customer: { id, testClockId: null }, dueAt: clock.now() };
    await inOrganization(platform.db, organizationId, (tx) =>
      scheduleDue(alone(tx), platform.registry, organizationId, due),
    );
    return id;
  }

  test("a request waits until the worker is done", async ({ onTestFinished }) => {
    onTestFinished(() => mayEnd());
    await scheduleFor(slow.kind);
    const begun = new Promise<void>((resolve) => {
      onBegun = resolve;
    });
    const working = createDueRunner(platform, platform.registry)();
    await begun;
    const requested = subscribe("small");
    expect(
      await Promise.race([requested.then(({ status }) => status), somebodyWaits(platform.config.DATABASE_URL)]),
    ).toBe("waits");
    mayEnd();
    expect([await working, (await requested).status]).toEqual([true, 200]);
  });

  test("a worker skips a customer that a request has locked, and comes back", async () => {
    const id = await scheduleFor(stuck.kind);
    await holding(id, async () => expect(await createDueRunner(platform, platform.registry)()).toBe(false));
    expect(await createDueRunner(platform, platform.registry)()).toBe(true);
  });

  test("a request is decided at the moment at which it gets the lock", async () => {
    const { body } = await subscribe("small");
    const queried: Promise<Answer>[] = [];
    await holding(body.subscription.svc_customer_id, async () => {
      queried.push(subscribe("large"));
      await somebodyWaits(platform.config.DATABASE_URL);
      ahead = ahead.add({ hours: 1 });
    });
    const startedAt = (await queried[0])?.body.subscription.started_at;
    expect(Temporal.Instant.from(startedAt).until(clock.now()).total("minutes")).toBeLessThan(30);
  });

  test("a clock does not move while a request on it waits for the lock", async () => {
    const testClockId = await makeClock();
    await makeCustomer({ test_clock_id: testClockId });
    const { body } = await subscribe("small");
    const answers: Promise<Answer>[] = [];
    await holding(body.subscription.svc_customer_id, async () => {
      answers.push(subscribe("large"));
      await somebodyWaits(platform.config.DATABASE_URL);
      const advanced = advance(testClockId, CLOCK_BEGINS.add({ hours: 1 }));
      answers.push(advanced);
      expect(
        await Promise.race([advanced.then(({ status }) => status), somebodyWaits(platform.config.DATABASE_URL, 2)]),
      ).toBe("waits");
    });
    const [requested, advanced] = await Promise.all(answers);
    expect(requested?.body.subscription).toMatchObject({ plan_code: "large", started_at: CLOCK_BEGINS.toString() });
    expect(advanced?.status).toBe(200);
  });
});
