/** A worker that is wrong on purpose: it marks first, commits, and works after that. The harness must catch it. */
import type { OutboxMessage } from "../../../packages/server/src/jobs/outbox.ts";
import { startLoops } from "../../../packages/server/src/jobs/worker.ts";
import { composePlatform, type Platform } from "../../../packages/server/src/main/compose.ts";
import { alone } from "../../../packages/server/src/platform/postgres/batch.ts";
import { inOrganization } from "../../../packages/server/src/platform/postgres/database.ts";
import { claimDue } from "../claim-due.ts";
import { openRecords, type Records } from "../records.ts";
import { readSettings } from "../worker.ts";
import { createWork, type DeliveringTask, JOB } from "./work.ts";

const LOOPS_PER_SOURCE = 4;

export async function runNaiveWorker(task: DeliveringTask): Promise<undefined> {
  const work = createWork(task);
  const { db, registry } = composePlatform(readSettings(task), work);
  const naive: Naive = { ...work, worker: task.worker, db, registry, pool: openRecords(task.url) };
  // What was taken and not finished is to be done again, assumes the naive worker.
  await naive.pool.query("update due_instants set taken = false where taken and done_at is null");
  for (const step of [runDue, dispatch, runJob])
    startLoops(
      () => step(naive),
      LOOPS_PER_SOURCE,
      (error) => console.error(String(error)),
    );
}

type Naive = Pick<Platform, "db" | "registry"> & ReturnType<typeof createWork> & { worker: number; pool: Records };

/** Three transactions: mark, work, finish. A kill before the third leaves an effect that is repeated. Without kills it is right. */
async function runDue({ pool, db, registry }: Naive): Promise<boolean> {
  const due = await claimDue(pool, "taken = true", "not taken");
  if (!due) return false;
  await inOrganization(db, due.organizationId, async (tx) =>
    registry.kinds.get(due.kind)?.run?.(alone(tx), due, registry),
  );
  await pool.query("update due_instants set done_at = now() where id = $1", [due.id]);
  return true;
}

/** Two transactions: mark as dispatched, deliver. A kill between them loses the message. */
async function dispatch({ pool, db, subscribers }: Naive): Promise<boolean> {
  const { rows } = await pool.query<OutboxMessage>(
    `update outbox set dispatched_at = now()
     where id = (select id from outbox where dispatched_at is null order by ready_at limit 1 for update skip locked)
     returning organization_id as "organizationId", id, webhook_type as "webhookType", object_type as "objectType",
       object_id as "objectId", payload, created_at as "createdAt"`,
  );
  const [message] = rows;
  if (!message) return false;
  await inOrganization(db, message.organizationId, async (tx) => {
    for (const subscriber of subscribers) await subscriber(alone(tx), message);
  });
  return true;
}

/** Locks as the job library does, but no other worker frees the locks of a killed one. */
async function runJob({ pool, jobs, worker }: Naive): Promise<boolean> {
  const { rows } = await pool.query<{ id: bigint; payload: string }>(
    `update graphile_worker._private_jobs set locked_by = $1, locked_at = now()
     where id = (select id from graphile_worker._private_jobs where locked_by is null
                 order by id limit 1 for update skip locked)
     returning id, payload`,
    [`naive-${worker}`],
  );
  const [job] = rows;
  if (!job) return false;
  const { organization_id, payload } = JSON.parse(job.payload);
  await jobs[JOB](organization_id, payload);
  await pool.query("delete from graphile_worker._private_jobs where id = $1", [job.id]);
  return true;
}
