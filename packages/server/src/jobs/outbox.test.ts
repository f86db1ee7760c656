import { sql } from "kysely";
import { expect, test } from "vitest";
import { newId } from "../platform/new-id.ts";
import { alone } from "../platform/postgres/batch.ts";
import { inOrganization, type Tx } from "../platform/postgres/database.ts";
import { startTallystick } from "../testing/start-tallystick.ts";
import { dispatchMessages, type OutboxMessage, publish } from "./outbox.ts";
import { enqueueJob } from "./queue.ts";

const received: OutboxMessage[] = [];
const performed: unknown[] = [];
let isBroken = false;
let brokenFor: string | undefined;
let now = Temporal.Instant.from("2026-01-01T00:00:00Z");

const service = await startTallystick({
  clock: { now: () => now },
  subscribers: [
    async ({ tx }, message) => {
      await enqueueJob(tx, "deliver", { message: message.id });
      if (isBroken || message.objectId === brokenFor) throw new Error("the subscriber is broken");
      received.push(message);
    },
  ],
  jobs: { deliver: async (organizationId, payload) => void performed.push({ organizationId, payload }) },
});
const { platform, drain, call, organizations } = service;
const organizationId = organizations[0]?.id ?? "";

const change = (objectId: string, once = false) => ({
  webhookType: "thing.changed",
  objectType: "thing",
  objectId,
  object: { svc_id: objectId, amount: "1.10" },
  once,
});

const within = <T>(work: (tx: Tx) => Promise<T>) => inOrganization(platform.db, organizationId, work);

test("a message carries the object as it was, and reaches the subscriber and the job of its organization", async () => {
  received.length = 0;
  const id = newId();
  await within((tx) => publish(alone(tx), organizationId, change(id), now));
  await drain();
  expect(received.map(({ payload }) => payload)).toEqual([
    `{"webhook_type":"thing.changed","object_type":"thing","thing":{"svc_id":"${id}","amount":"1.10"}}`,
  ]);
  expect(performed).toContainEqual({ organizationId, payload: { message: received[0]?.id } });
});

test("a change that is rolled back is never published", async () => {
  received.length = 0;
  const undone = within(async (tx) => {
    await publish(alone(tx), organizationId, change(newId()), now);
    throw new Error("changed my mind");
  });
  await expect(undone).rejects.toThrow("changed my mind");
  await drain();
  expect(received).toEqual([]);
});

test("a change that can happen only once cannot be published twice", async () => {
  const id = newId();
  await within((tx) => publish(alone(tx), organizationId, change(id, true), now));
  await expect(within((tx) => publish(alone(tx), organizationId, change(id, true), now))).rejects.toThrow(
    "duplicate key",
  );
  await within((tx) => publish(alone(tx), organizationId, change(id), now));
  await within((tx) => publish(alone(tx), organizationId, change(id), now));
});

test("a row that commits late is not skipped, although later rows were dispatched", async () => {
  await drain();
  received.length = 0;
  const [slow, fast] = [newId(), newId()];
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let written = (): void => undefined;
  const isWritten = new Promise<void>((resolve) => {
    written = resolve;
  });
  const slowChange = within(async (tx) => {
    await publish(alone(tx), organizationId, change(slow), now);
    written();
    await held;
  });
  await isWritten;
  await within((tx) => publish(alone(tx), organizationId, change(fast), now));
  await drain();
  expect(received.map((message) => message.objectId)).toEqual([fast]);
  release();
  await slowChange;
  await drain();
  expect(received.map((message) => message.objectId)).toEqual([fast, slow]);
});

test("a failing subscriber leaves no partial work, and the message waits", async () => {
  await drain();
  received.length = 0;
  performed.length = 0;
  isBroken = true;
  await within((tx) => publish(alone(tx), organizationId, change(newId()), now));
  await drain();
  isBroken = false;
  await drain();
  expect([received, performed]).toEqual([[], []]);
  now = now.add({ seconds: 1 });
  await drain();
  expect([received.length, performed.length]).toEqual([1, 1]);
});

test("in a batch of messages, one failure does not block the others, and is retried alone", async () => {
  await drain();
  received.length = 0;
  const ids = Array.from({ length: 5 }, () => newId());
  for (const id of ids) await within((tx) => publish(alone(tx), organizationId, change(id), now));
  brokenFor = ids[2];
  await dispatchMessages(platform, platform.subscribers);
  const others = ids.filter((id) => id !== brokenFor);
  // The batch ran once before one message failed, and was rolled back.
  expect(received.map(({ objectId }) => objectId).slice(-4)).toEqual(others);
  performed.length = 0;
  await drain();
  expect(performed).toHaveLength(4);
  brokenFor = undefined;
  now = now.add({ seconds: 1 });
  await drain();
  expect([received.at(-1)?.objectId, performed.length]).toEqual([ids[2], 5]);
});

test("a batch of messages is dispatched with the rights of each organization", async () => {
  await drain();
  [received.length, performed.length] = [0, 0];
  const ids = organizations.map(({ id }) => id);
  for (const id of [...ids, ...ids])
    await inOrganization(platform.db, id, (tx) => publish(alone(tx), id, change(newId()), now));
  await dispatchMessages(platform, platform.subscribers);
  expect(received).toHaveLength(2 * ids.length);
  await drain();
  const published = received.map(({ organizationId: id, id: message }) => ({
    organizationId: id,
    payload: { message },
  }));
  expect(performed).toHaveLength(published.length);
  expect(performed).toEqual(expect.arrayContaining(published));
});

test("concurrent dispatchers deliver each message once", async () => {
  await drain();
  received.length = 0;
  const ids = Array.from({ length: 60 }, () => newId());
  for (const id of ids) await within((tx) => publish(alone(tx), organizationId, change(id), now));
  const { subscribers } = platform;
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      while (await dispatchMessages(platform, subscribers));
    }),
  );
  expect(received.map((message) => message.objectId).sort()).toEqual([...ids].sort());
});

test("a customer's messages show the customer before and after the change", async () => {
  await drain();
  received.length = 0;
  await call("POST", "/customers", { customer: { external_id: "told", name: "Before" } });
  await call("POST", "/customers", { customer: { external_id: "told", name: "After" } });
  await drain();
  const reported = received.map(({ webhookType, payload }) => [webhookType, JSON.parse(payload).customer.name]);
  expect(reported).toEqual([
    ["customer.created", "Before"],
    ["customer.updated", "After"],
  ]);
});

test("a request cannot create a job for another organization, or without one", async () => {
  const other = organizations[1]?.id;
  await within((tx) => enqueueJob(tx, "deliver", { organization_id: other }));
  performed.length = 0;
  await drain();
  expect(performed).toEqual([{ organizationId, payload: { organization_id: other } }]);
  const nobody = platform.db.transaction().execute((tx) => enqueueJob(tx, "deliver", {}));
  await expect(nobody).rejects.toThrow("a job needs an organization");
  await expect(sql`select * from graphile_worker._private_jobs`.execute(platform.db)).rejects.toThrow(
    "permission denied",
  );
});
