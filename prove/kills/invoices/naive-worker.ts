/** Marks a due row as done, commits, and works after that. Without kills it is right. The harness must catch it. */
import { prepareDues } from "../../../packages/server/src/jobs/due.ts";
import { startLoops } from "../../../packages/server/src/jobs/worker.ts";
import { composePlatform, type Platform } from "../../../packages/server/src/main/compose.ts";
import { alone } from "../../../packages/server/src/platform/postgres/batch.ts";
import { inOrganization } from "../../../packages/server/src/platform/postgres/database.ts";
import { claimDue } from "../claim-due.ts";
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

async function runDue({ db, registry }: Platform, pool: Records): Promise<boolean> {
  const due = await claimDue(pool, "done_at = now()");
  if (!due) return false;
  for (const { run } of await prepareDues(registry, [due]))
    await inOrganization(db, due.organizationId, (tx) => run(alone(tx), due, registry));
  return true;
}
