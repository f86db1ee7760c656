/** How naive workers claim: they mark a due row and commit before they work. */
import type { Due } from "../../packages/server/src/jobs/due.ts";
import type { Records } from "./records.ts";

/** The first open row of a customer that no other worker is busy with. `mark`: the assignment that marks it. */
export async function claimDue(pool: Records, mark: string, isFree = "true"): Promise<Due | undefined> {
  const { rows } = await pool.query<Due>(
    `update due_instants set ${mark}
     where id = (select id from due_instants as next where done_at is null and ${isFree} and ready_at <= now()
                   and not exists (select from due_instants as earlier
                     where earlier.customer_id = next.customer_id and earlier.done_at is null
                       and (earlier.due_at, earlier.rank, earlier.id) < (next.due_at, next.rank, next.id))
                 order by ready_at limit 1 for update skip locked)
     returning organization_id as "organizationId", id, kind, subject_id as "subjectId", customer_id as "customerId",
       test_clock_id as "testClockId", due_at as "dueAt"`,
  );
  return rows[0];
}
