/** Marks a due row as done, commits, and works after that. Without kills it is right. The harness must catch it. */
import { type Due, prepareDues } from "../../../packages/server/src/jobs/due.ts";
import { startLoops } from "../../../packages/server/src/jobs/worker.ts";
import { composePlatform, type Platform } from "../../../packages/server/src/main/compose.ts";
import { inOrganization } from "../../../packages/server/src/platform/postgres/database.ts";
import { openRecords, type Records } from "../records.ts";
import { readSettings, type WorkerTask } from "../worker.ts";

export async function runNaiveBilling(task: WorkerTask): Promise<undefined> {
  const platform = composePlatform(readSettings(task));
  const pool = openRecords(task.url);
  startLoops(
    () => runDue(platform, pool),
    2,
    (error) => console.error(String(error)),
  );
}

/** The first open one of a customer that no other worker is busy with. */
async function runDue({ db, registry }: Platform, pool: Records): Promise<boolean> {
  const { rows } = await pool.query<Due>(
    `update due_instants set done_at = now()
     where id = (select id from due_instants as next where done_at is null and ready_at <= now()
                   and not exists (select from due_instants as earlier
                     where earlier.customer_id = next.customer_id and earlier.done_at is null
                       and (earlier.due_at, earlier.rank, earlier.id) < (next.due_at, next.rank, next.id))
                 order by ready_at limit 1 for update skip locked)
     returning organization_id as "organizationId", id, kind, subject_id as "subjectId", customer_id as "customerId",
       test_clock_id as "testClockId", due_at as "dueAt"`,
  );
  const [due] = rows;
  if (!due) return false;
  for (const { run } of await prepareDues(registry, [due]))
    await inOrganization(db, due.organizationId, (tx) => run(tx, due, registry));
  return true;
}
