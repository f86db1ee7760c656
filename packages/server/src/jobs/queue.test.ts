import { sql } from "kysely";
import { expect, test } from "vitest";
import { newId } from "../platform/new-id.ts";
import { inOrganization } from "../platform/postgres/database.ts";
import { startTallystick } from "../testing/start-tallystick.ts";
import { enqueueJob, type JobHandler, startQueue } from "./queue.ts";

const { platform, organizations } = await startTallystick();
const organizationId = organizations[0]?.id ?? "";

const enqueue = (jobKey: string) =>
  inOrganization(platform.db, organizationId, (tx) => enqueueJob(tx, "work", { jobKey }, { jobKey }));

const start = (work: JobHandler) => startQueue({ ...platform, jobs: { work }, scheduled: [], concurrency: 1 });

/** The state that a killed worker leaves: the job is locked, and the last heartbeat is this many seconds old. */
async function leaveLocked(jobKey: string, worker: string, silentForSeconds: number): Promise<void> {
  const seenAt = sql`now() - make_interval(secs => ${silentForSeconds})`;
  await enqueue(jobKey);
  await sql`update graphile_worker._private_jobs set locked_by = ${worker}, locked_at = now() where key = ${`${organizationId}:${jobKey}`}`.execute(
    platform.dispatcherDb,
  );
  await sql`insert into worker_heartbeats (worker_id, seen_at) values (${worker}, ${seenAt})`.execute(
    platform.dispatcherDb,
  );
}

test("a worker with a job has a heartbeat, so that a long job is not given to a second worker", async () => {
  const begun = Promise.withResolvers<void>();
  const mayEnd = Promise.withResolvers<void>();
  const queue = await start(async () => {
    begun.resolve();
    await mayEnd.promise;
  });
  await enqueue(newId());
  await begun.promise;
  const { rows } = await sql<{ hasHeartbeat: boolean }>`
    select locked_by in (select worker_id from worker_heartbeats) as "hasHeartbeat" from graphile_worker.jobs`.execute(
    platform.dispatcherDb,
  );
  mayEnd.resolve();
  await queue.stop();
  expect(rows).toEqual([{ hasHeartbeat: true }]);
});

test("a worker that starts takes over the jobs of a silent one at once, and leaves those of a living one", async () => {
  const [silent, living] = [newId(), newId()];
  await leaveLocked(silent, "silent", 16);
  await leaveLocked(living, "living", 5);
  const taken = Promise.withResolvers<unknown>();
  const queue = await start(async (_, payload) => taken.resolve(payload));
  expect(await taken.promise).toEqual({ jobKey: silent });
  await queue.stop();
  const { rows } =
    await sql`select locked_by from graphile_worker.jobs where key = ${`${organizationId}:${living}`}`.execute(
      platform.dispatcherDb,
    );
  expect(rows).toEqual([{ locked_by: "living" }]);
});

test("a worker that stops leaves no heartbeat", async () => {
  const queue = await start(async () => undefined);
  await queue.stop();
  const { rows } =
    await sql`select worker_id from worker_heartbeats where worker_id not in ('silent', 'living')`.execute(
      platform.dispatcherDb,
    );
  expect(rows).toEqual([]);
});

test("the same key twice is one job; the same key in two organizations is two jobs", async () => {
  const key = newId();
  for (const { id } of [...organizations, ...organizations])
    await inOrganization(platform.db, id, (tx) => enqueueJob(tx, "work", {}, { jobKey: key }));
  const { rows } = await sql`select key from graphile_worker.jobs where key like ${`%${key}`}`.execute(
    platform.dispatcherDb,
  );
  expect(rows).toHaveLength(organizations.length);
  expect(organizations.length).toBeGreaterThan(1);
});

test("of jobs in a queue, an organization has one at a time, and another organization does not wait for them", async () => {
  const other = organizations[1]?.id ?? "";
  const underWay: string[] = [];
  const mayEnd = Promise.withResolvers<void>();
  const otherBegan = Promise.withResolvers<string[]>();
  const enqueueIn = (id: string) =>
    inOrganization(platform.db, id, (tx) => enqueueJob(tx, "draw", {}, { queue: "documents" }));
  for (const id of [organizationId, organizationId, organizationId, other]) await enqueueIn(id);
  const draw: JobHandler = async (id) => {
    underWay.push(id);
    if (id === other) otherBegan.resolve([...underWay]);
    await mayEnd.promise;
  };
  const queue = await startQueue({ ...platform, jobs: { draw }, scheduled: [], concurrency: 3 });
  expect((await otherBegan.promise).toSorted()).toEqual([organizationId, other].toSorted());
  mayEnd.resolve();
  await expect.poll(() => underWay.length, { timeout: 60_000 }).toBe(4);
  await queue.stop();
});
