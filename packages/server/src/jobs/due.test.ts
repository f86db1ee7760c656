import { beforeEach, expect, test } from "vitest";
import { newId } from "../platform/new-id.ts";
import { alone } from "../platform/postgres/batch.ts";
import { inOrganization } from "../platform/postgres/database.ts";
import { startTallystick } from "../testing/start-tallystick.ts";
import { createDueRegistry, type Due, type DueKind, runDues, scheduleDue } from "./due.ts";
import { publish } from "./outbox.ts";
import { createDueRunner } from "./run-dues.ts";

type Customer = { id: string; testClockId: string | null };

const at = (text: string) => Temporal.Instant.from(text);
const midnight = "2026-01-01T00:00:00Z";
let now = at(midnight);
let ran: string[] = [];
let failing = new Set<string>();
const running = new Set<string>();

/** Writes a row, so that the test can tell a rolled back attempt from a committed one. */
const kind = (name: string, rank: number, settles = false): DueKind => ({
  kind: name,
  rank,
  settles,
  run: async (batch, due) => {
    expect(running.has(due.customerId ?? due.id)).toBe(false);
    running.add(due.customerId ?? due.id);
    try {
      const change = {
        webhookType: "test.ran",
        objectType: "due",
        objectId: due.id,
        object: { kind: name },
        once: true,
      };
      await publish(batch, due.organizationId, change, now);
      if (failing.has(name) || failing.has(due.customerId ?? "")) throw new Error(`${name} cannot be done`);
      ran.push(`${name} ${due.dueAt}`);
    } finally {
      running.delete(due.customerId ?? due.id);
    }
  },
});

const service = await startTallystick({
  clock: { now: () => now },
  dueKinds: [kind("early", 11), kind("late", 23), kind("settling", 33, true)],
  settings: { SETTLE_DELAY_SECONDS: "600" },
});
const { platform, call, drain, organizations } = service;
const organizationId = organizations[0]?.id ?? "";

async function customer(options: { clock?: string; organization?: number } = {}): Promise<Customer> {
  const { key } = organizations[options.organization ?? 0] ?? {};
  const requested = { external_id: newId(), ...(options.clock ? { test_clock_id: options.clock } : {}) };
  const { body } = await call("POST", "/customers", { customer: requested }, key ? { key } : {});
  return { id: body.customer.svc_id, testClockId: body.customer.test_clock_id };
}

const schedule = (who: Customer | null, kindName: string, dueAt: string, subjectId: string = who?.id ?? newId()) =>
  inOrganization(platform.db, organizationId, (tx) =>
    scheduleDue(alone(tx), platform.registry, organizationId, {
      kind: kindName,
      subjectId,
      customer: who,
      dueAt: at(dueAt),
    }),
  );

const marks = () =>
  inOrganization(platform.db, organizationId, (tx) =>
    tx.selectFrom("outbox").select("object_id").where("webhook_type", "=", "test.ran").execute(),
  );

const openRows = () =>
  inOrganization(platform.db, organizationId, (tx) =>
    tx.selectFrom("due_instants").select(["kind", "attempts", "last_error"]).where("done_at", "is", null).execute(),
  );

/** The kinds of the service, each wrapped by the test. */
const registryThat = (around: (due: Due, run: () => Promise<void>) => Promise<void>) =>
  createDueRegistry(
    [...platform.registry.kinds.values()].map(({ kind, rank, settles, run }) => ({
      kind,
      rank,
      settles,
      run: (tx, due, registry) => around(due, async () => run?.(tx, due, registry)),
    })),
    platform.registry.settleDelay,
    platform.registry.park,
  );

beforeEach(async () => {
  failing = new Set();
  now = at("2030-01-01T00:00:00Z");
  await drain();
  now = at(midnight);
  ran = [];
});

test("rows of one customer run by instant, then by rank, whatever order they were stored in", async () => {
  const acme = await customer();
  await schedule(acme, "late", "2025-12-31T00:00:00Z");
  await schedule(acme, "early", "2025-12-31T00:00:00Z");
  await schedule(acme, "late", "2025-12-30T00:00:00Z");
  await schedule(acme, "early", "2026-01-02T00:00:00Z");
  await drain();
  expect(ran).toEqual(["late 2025-12-30T00:00:00Z", "early 2025-12-31T00:00:00Z", "late 2025-12-31T00:00:00Z"]);
  now = at("2026-01-02T00:00:00Z");
  await drain();
  expect(ran).toHaveLength(4);
});

test("period work waits the settle delay and still runs for its own instant", async () => {
  await schedule(await customer(), "settling", midnight);
  now = at("2026-01-01T00:09:59Z");
  await drain();
  expect(ran).toEqual([]);
  now = at("2026-01-01T00:10:00Z");
  await drain();
  expect(ran).toEqual([`settling ${midnight}`]);
});

test("a later row waits for an earlier row that is still settling", async () => {
  const acme = await customer();
  await schedule(acme, "settling", midnight);
  await schedule(acme, "early", "2026-01-01T00:01:00Z");
  now = at("2026-01-01T00:05:00Z");
  await drain();
  expect(ran).toEqual([]);
  now = at("2026-01-01T00:10:00Z");
  await drain();
  expect(ran).toEqual([`settling ${midnight}`, "early 2026-01-01T00:01:00Z"]);
});

test("an instant is consumed once: scheduling it again changes nothing", async () => {
  const acme = await customer();
  await schedule(acme, "early", midnight);
  await schedule(acme, "early", midnight);
  await drain();
  await schedule(acme, "early", midnight);
  await drain();
  expect(ran).toEqual([`early ${midnight}`]);
});

test("a row that is done is not done again, even by a worker that still has it", async () => {
  const acme = await customer();
  await schedule(acme, "early", midnight);
  const { id } = await inOrganization(platform.db, organizationId, (tx) =>
    tx.selectFrom("due_instants").select("id").where("customer_id", "=", acme.id).executeTakeFirstOrThrow(),
  );
  await drain();
  const due = {
    organizationId,
    id,
    kind: "early",
    subjectId: acme.id,
    customerId: acme.id,
    testClockId: null,
    dueAt: now,
  };
  const run = async () => void ran.push("again");
  const second = inOrganization(platform.db, organizationId, (tx) =>
    runDues(tx, platform.registry, [{ due, run }], now),
  );
  await expect(second).rejects.toThrow("was finished by another worker");
  expect(ran).toEqual([`early ${midnight}`]);
});

test("a row that fails has no effect, is retried later, and blocks only its own customer", async () => {
  const [acme, globex] = [await customer(), await customer()];
  const before = (await marks()).length;
  failing.add("early");
  await schedule(acme, "early", midnight);
  await schedule(acme, "late", midnight);
  await schedule(globex, "late", midnight);
  await drain();
  expect(ran).toEqual([`late ${midnight}`]);
  expect(await marks()).toHaveLength(before + 1);
  expect(await openRows()).toContainEqual({ kind: "early", attempts: 1, last_error: "Error: early cannot be done" });
  now = now.add({ milliseconds: 250 });
  await drain();
  expect(await openRows()).toContainEqual(expect.objectContaining({ kind: "early", attempts: 2 }));
  failing.clear();
  await drain();
  expect(ran).toEqual([`late ${midnight}`]);
  now = now.add({ milliseconds: 500 });
  await drain();
  expect(ran).toEqual([`late ${midnight}`, `early ${midnight}`, `late ${midnight}`]);
  expect(await marks()).toHaveLength(before + 3);
});

test("a row that fails three times is parked with its reason, and its customer's later rows run", async () => {
  const acme = await customer();
  failing.add("early");
  await schedule(acme, "early", midnight);
  await schedule(acme, "late", midnight);
  for (const milliseconds of [0, 250, 500]) {
    now = now.add({ milliseconds });
    await drain();
  }
  expect(ran).toEqual([`late ${midnight}`]);
  const { body } = await call("GET", "/parked_items");
  expect(body.parked_items).toMatchObject([
    {
      kind: "invoice",
      object: { type: "early", svc_id: acme.id, external_id: null },
      reason: "early cannot be done",
      attempts: 3,
      status: "parked",
    },
  ]);
  now = at("2030-01-01T00:00:00Z");
  await drain();
  expect(ran).toEqual([`late ${midnight}`]);
  failing.clear();
  const id = body.parked_items[0].svc_id;
  const retried = await call("POST", `/parked_items/${id}/retry`, { reason: "it was corrected" });
  expect(retried.body.parked_item).toMatchObject({ status: "retried", attempts: 4 });
  expect(ran).toEqual([`late ${midnight}`, `early ${midnight}`]);
  expect((await call("GET", "/parked_items")).body.parked_items).toEqual([]);
});

test("a temporary fault is never parked, and does not count towards parking", async () => {
  const acme = await customer();
  await schedule(acme, "early", midnight);
  const passing = registryThat(async () => {
    throw Object.assign(new Error("deadlock detected"), { code: "40P01" });
  });
  for (let attempt = 0; attempt < 6; attempt++) {
    await createDueRunner(platform, passing)();
    now = now.add({ hours: 1 });
  }
  expect(await openRows()).toEqual([{ kind: "early", attempts: 6, last_error: "passing: Error: deadlock detected" }]);
  failing.add("early");
  await drain();
  expect(await openRows()).toEqual([{ kind: "early", attempts: 1, last_error: "Error: early cannot be done" }]);
  failing.clear();
  now = now.add({ hours: 1 });
  await drain();
  expect(ran).toEqual([`early ${midnight}`]);
});

test("a kind that no module registered is kept, with the reason", async () => {
  const unknown = createDueRegistry(
    [kind("forgotten", 1)],
    Temporal.Duration.from({ seconds: 0 }),
    platform.registry.park,
  );
  const subject = newId();
  await inOrganization(platform.db, organizationId, (tx) =>
    scheduleDue(alone(tx), unknown, organizationId, {
      kind: "forgotten",
      subjectId: subject,
      customer: null,
      dueAt: now,
    }),
  );
  await drain();
  expect(await openRows()).toEqual([
    { kind: "forgotten", attempts: 1, last_error: 'Error: no module registered the due kind "forgotten"' },
  ]);
  await inOrganization(platform.db, organizationId, (tx) =>
    tx.deleteFrom("due_instants").where("subject_id", "=", subject).execute(),
  );
});

test("two kinds with one rank are refused at the start", () => {
  const delay = Temporal.Duration.from({ seconds: 0 });
  const { park } = platform.registry;
  expect(() => createDueRegistry([kind("a", 1), kind("b", 1)], delay, park)).toThrow("the same rank");
  expect(() => createDueRegistry([kind("a", 1), kind("a", 2)], delay, park)).toThrow("the same name");
});

test("eight workers at once run every row once, and each customer's in order", async () => {
  const customers = await Promise.all(Array.from({ length: 20 }, () => customer()));
  const days = ["2025-12-01", "2025-12-02", "2025-12-03"];
  for (const who of customers) {
    for (const day of days.toReversed()) {
      await schedule(who, "late", `${day}T00:00:00Z`);
      await schedule(who, "early", `${day}T00:00:00Z`);
    }
  }
  const before = (await marks()).length;
  const failedBefore = (await platform.metrics.workFailed.get()).values;
  const orders = new Map<string, string[]>();
  const registry = registryThat(async (due, run) => {
    await run();
    const order = orders.get(due.customerId ?? "") ?? [];
    orders.set(due.customerId ?? "", [...order, `${due.dueAt} ${due.kind}`]);
  });
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      const runDues = createDueRunner(platform, registry);
      // A row whose customer is locked elsewhere is skipped, so a worker may find nothing while rows are open.
      while ((await runDues()) || (await openRows()).length > 0);
    }),
  );
  expect(await marks()).toHaveLength(before + 120);
  const expected = days.flatMap((day) => [`${day}T00:00:00Z early`, `${day}T00:00:00Z late`]);
  expect([...orders.values()]).toEqual(customers.map(() => expected));
  // No worker tried a row that another worker had claimed.
  expect((await platform.metrics.workFailed.get()).values).toEqual(failedBefore);
});

test("a row that another worker has locked is skipped, even if it has no customer", async () => {
  await schedule(null, "early", "2025-12-31T00:00:00Z");
  const atWork = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const slow = registryThat(async (_, run) => {
    atWork.resolve();
    await released.promise;
    await run();
  });
  const first = createDueRunner(platform, slow)();
  await atWork.promise;
  try {
    expect(await createDueRunner(platform, platform.registry)()).toBe(false);
  } finally {
    released.resolve();
    await first;
  }
  expect(ran).toEqual(["early 2025-12-31T00:00:00Z"]);
});

test("in a batch of customers, one failure does not block the others, and is retried alone", async () => {
  const customers = await Promise.all(Array.from({ length: 6 }, () => customer()));
  for (const who of customers) await schedule(who, "early", "2025-12-31T00:00:00Z");
  const before = (await marks()).length;
  failing = new Set([customers[2]?.id ?? ""]);
  await drain();
  expect(await marks()).toHaveLength(before + 5);
  expect(await openRows()).toEqual([{ kind: "early", attempts: 1, last_error: "Error: early cannot be done" }]);
  failing = new Set();
  now = at("2026-01-02T00:00:00Z");
  await drain();
  expect(await marks()).toHaveLength(before + 6);
});

test("a customer that a request has locked is skipped, and the rest of its batch is done", async () => {
  const [held, ...others] = await Promise.all(Array.from({ length: 4 }, () => customer()));
  for (const who of [held, ...others]) await schedule(who ?? null, "early", "2025-12-31T00:00:00Z");
  const before = (await marks()).length;
  await inOrganization(platform.db, organizationId, async (tx) => {
    await tx
      .selectFrom("customers")
      .select("id")
      .where("id", "=", held?.id ?? "")
      .forNoKeyUpdate()
      .execute();
    await drain();
  });
  expect(await marks()).toHaveLength(before + 3);
  await drain();
  expect(await marks()).toHaveLength(before + 4);
});

test("the real clock does not run the rows of a customer on a test clock", async () => {
  const { body } = await call("POST", "/test_clocks", { test_clock: { now: "2020-01-01T00:00:00Z" } });
  await schedule(await customer({ clock: body.test_clock.svc_id }), "early", "2020-02-01T00:00:00Z");
  await drain();
  expect(ran).toEqual([]);
});
