/** Deletes customers: they are hidden, their external_id can be used again, their finalized documents stay. */
import { enqueueJob, type JobHandler } from "../../jobs/queue.ts";
import type { Clock } from "../../platform/clock.ts";
import { type Database, inOrganization, type Tx } from "../../platform/postgres/database.ts";
import { holdCustomerClock } from "../test-clocks/index.ts";
import { customerErrors } from "./errors.ts";
import type { CustomerRow } from "./schema.ts";
import { lockCustomerByExternalId, lockCustomersOfClock, updateCustomer } from "./store.ts";

const BATCH = 100;
const DELETE_OF_CLOCK_JOB = "delete_customers_of_clock";

export async function deleteCustomer(
  tx: Tx,
  organizationId: string,
  externalId: string,
  clock: Clock,
): Promise<CustomerRow> {
  const customer = await lockCustomerByExternalId(tx, organizationId, externalId);
  if (!customer) throw customerErrors.problem("customer_not_found");
  await holdCustomerClock(tx, organizationId, customer.test_clock_id, clock);
  return updateCustomer(tx, organizationId, customer.id, { deleted_at: clock.now() });
}

/** The first hundred at once; the rest, if any, by a job that can be repeated. */
export const deleteCustomersOfClock =
  (clock: Clock) =>
  async (tx: Tx, organizationId: string, testClockId: string): Promise<void> => {
    const batch = await lockCustomersOfClock(tx, organizationId, testClockId, BATCH);
    for (const { id } of batch) await updateCustomer(tx, organizationId, id, { deleted_at: clock.now() });
    if (batch.length === BATCH)
      await enqueueJob(tx, DELETE_OF_CLOCK_JOB, { testClockId }, { jobKey: `${DELETE_OF_CLOCK_JOB}:${testClockId}` });
  };

export const customerJobs = (db: Database, clock: Clock): Record<string, JobHandler> => ({
  [DELETE_OF_CLOCK_JOB]: (organizationId, payload) =>
    inOrganization(db, organizationId, (tx) =>
      deleteCustomersOfClock(clock)(tx, organizationId, (payload as { testClockId: string }).testClockId),
    ),
});
