/** What the due rows, messages and jobs of the campaign do: the same for the real worker and the naive one. */
import { setTimeout as pause } from "node:timers/promises";
import type { Due } from "../../../packages/server/src/jobs/due.ts";
import { publish } from "../../../packages/server/src/jobs/outbox.ts";
import { enqueueJob } from "../../../packages/server/src/jobs/queue.ts";
import { type Additions, composePlatform } from "../../../packages/server/src/main/compose.ts";
import { composeWorker } from "../../../packages/server/src/main/compose-work.ts";
import { systemClock } from "../../../packages/server/src/platform/clock.ts";
import type { Batch } from "../../../packages/server/src/platform/postgres/batch.ts";
import { openRecords } from "../records.ts";
import { readSettings, type WorkerTask } from "../worker.ts";

/** Several ranks at one instant, so that the order within a customer is put to the test. */
export const KINDS = [
  { kind: "prove_early", rank: 11, settles: false },
  { kind: "prove_settling", rank: 51, settles: true },
  { kind: "prove_late", rank: 81, settles: false },
] as const;

export const JOB = "prove_deliver";

/** Long enough that most kills strike between two effects of one transaction. */
const MIDDLE_MS = 80;

type Tables = {
  "prove.effects": { due_id: string; customer_id: string; due_at: Temporal.Instant; rank: number; worker: number };
  "prove.handed": { message_id: string; worker: number };
};

export type DeliveringTask = WorkerTask & { worker: number; receiverUrl: string };

/** The real worker, as the service composes it, with the work of the campaign. */
export async function runWorkerWithWork(task: DeliveringTask): Promise<undefined> {
  await composeWorker(composePlatform(readSettings(task), createWork(task)));
}

export function createWork({ url, receiverUrl, worker }: DeliveringTask) {
  const records = openRecords(url);

  const begin = (source: "due" | "outbox" | "job", id: string) =>
    records.query(
      `insert into prove.attempts (source, item_id, worker, locked_by)
       select $1, $2::uuid, $3, (select locked_by from graphile_worker.jobs where split_part(key, ':', 2) = $2::uuid::text)`,
      [source, id, worker],
    );

  const affect = async (batch: Batch, due: Due, rank: number): Promise<void> => {
    await begin("due", due.id);
    const effect = { due_id: due.id, customer_id: due.customerId ?? "", due_at: due.dueAt, rank, worker };
    await batch.tx.$extendTables<Tables>().insertInto("prove.effects").values(effect).execute();
    await pause(MIDDLE_MS);
    const change = { webhookType: "prove.done", objectType: "due", objectId: due.id, object: { id: due.id } };
    await publish(batch, due.organizationId, change, systemClock.now());
  };

  return {
    dueKinds: KINDS.map((kind) => ({ ...kind, run: (batch, due) => affect(batch, due, kind.rank) })),
    subscribers: [
      async ({ tx }, { id }) => {
        await begin("outbox", id);
        await tx.$extendTables<Tables>().insertInto("prove.handed").values({ message_id: id, worker }).execute();
        await pause(MIDDLE_MS);
        await enqueueJob(tx, JOB, { id }, { jobKey: id });
      },
    ],
    jobs: {
      [JOB]: async (_, payload) => {
        const { id } = payload as { id: string };
        await begin("job", id);
        const answer = await fetch(receiverUrl, { method: "POST", body: JSON.stringify({ id }) });
        if (!answer.ok) throw new Error(`the receiver answered ${answer.status}`);
        await records.query(
          "insert into prove.deliveries (message_id, worker) values ($1, $2) on conflict (message_id) do nothing",
          [id, worker],
        );
      },
    },
  } satisfies Additions;
}
