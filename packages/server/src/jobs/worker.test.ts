import { expect, test } from "vitest";
import { systemClock } from "../platform/clock.ts";
import { readDatabaseClock } from "../platform/clock-watch.ts";
import { newId } from "../platform/new-id.ts";
import { alone } from "../platform/postgres/batch.ts";
import { inOrganization } from "../platform/postgres/database.ts";
import { startTallystick } from "../testing/start-tallystick.ts";
import { type DueKind, scheduleDue } from "./due.ts";
import { publish } from "./outbox.ts";
import { enqueueJob } from "./queue.ts";

let hours = 0;
let whenDelivered: (id: unknown) => void = () => undefined;
let atWork: { begun: () => void; release: Promise<void> } | undefined;

/** Due row → message → job: the path of everything that is sent to external systems. */
const tellOutside: DueKind = {
  kind: "tell",
  rank: 11,
  settles: false,
  run: async (batch, due) => {
    atWork?.begun();
    await atWork?.release;
    const change = { webhookType: "thing.told", objectType: "thing", objectId: due.subjectId, object: {} };
    await publish(batch, due.organizationId, change, due.dueAt);
  },
};

const { platform, organizations, startWorker } = await startTallystick({
  clock: { now: () => systemClock.now().add({ hours }) },
  databaseClock: readDatabaseClock,
  dueKinds: [tellOutside],
  subscribers: [({ tx }, message) => enqueueJob(tx, "deliver", message.objectId)],
  jobs: { deliver: async (_organization, id) => whenDelivered(id) },
});
const organizationId = organizations[0]?.id ?? "";

async function schedule(): Promise<string> {
  const subjectId = newId();
  const due = { kind: "tell", subjectId, customer: null, dueAt: systemClock.now() };
  await inOrganization(platform.db, organizationId, (tx) =>
    scheduleDue(alone(tx), platform.registry, organizationId, due),
  );
  return subjectId;
}

const openRows = () =>
  inOrganization(platform.db, organizationId, (tx) =>
    tx.selectFrom("due_instants").select("subject_id").where("done_at", "is", null).execute(),
  );

test("a running worker turns a due row into a message, a job and an external call", async () => {
  const delivered = new Promise<unknown>((resolve) => {
    whenDelivered = resolve;
  });
  const worker = await startWorker();
  const id = await schedule();
  expect(await delivered).toBe(id);
  await worker.stop();
  expect(await openRows()).toEqual([]);
});

test("a machine whose clock is an hour ahead of the database's does nothing", async () => {
  const id = await schedule();
  hours = 1;
  const worker = await startWorker();
  const { values } = await platform.metrics.clockSkewSeconds.get();
  await worker.stop();
  hours = 0;
  expect(values[0]?.value).toBeGreaterThan(3500);
  expect(await openRows()).toEqual([{ subject_id: id }]);
});

test("stopping waits for the work that has begun, and keeps it", async () => {
  let release = (): void => undefined;
  const begun = new Promise<void>((resolve) => {
    atWork = { begun: resolve, release: new Promise((free) => (release = free)) };
  });
  const worker = await startWorker();
  await begun;
  let isStopped = false;
  const stopping = worker.stop().then(() => {
    isStopped = true;
  });
  expect(await openRows()).toHaveLength(1);
  expect(isStopped).toBe(false);
  release();
  await stopping;
  expect(await openRows()).toEqual([]);
});
