/** What workers would have done by the end: the campaign has none, and what waits for them is no fault of a request. */
import type pg from "pg";
import { createDueRunner } from "../../packages/server/src/jobs/run-dues.ts";
import type { Platform } from "../../packages/server/src/main/compose.ts";
import { composeJobs } from "../../packages/server/src/main/compose-work.ts";
import { sealActivities } from "../served-api.ts";

const CLOCKS = `
  select distinct organization_id, test_clock_id from due_instants
  where done_at is null and test_clock_id is not null`;

/** All that is due on the real clock, and on clocks that stand. Messages and documents stay: nothing is asked of them. */
export async function workOff(platform: Platform, pool: pg.Pool): Promise<void> {
  const runDues = createDueRunner(platform, platform.registry);
  while (await runDues());
  await sealActivities(platform);
  const { catch_up_test_clock: catchUp } = composeJobs(platform).jobs;
  if (!catchUp) throw new Error("No job catches up test clocks.");
  const { rows } = await pool.query<{ organization_id: string; test_clock_id: string }>(CLOCKS);
  for (const { organization_id, test_clock_id } of rows) await catchUp(organization_id, { testClockId: test_clock_id });
}
