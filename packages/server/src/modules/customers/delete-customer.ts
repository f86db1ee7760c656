/** Deletes customers: they are hidden, their external_id can be used again, their finalized documents stay. */
import { enqueueJob, type JobHandler } from "../../jobs/queue.ts";
import type { Clock } from "../../platform/clock.ts";
import { type Database, inOrganization, type Tx } from "../../platform/postgres/database.ts";
import { holdCustomerClock } from "../test-clocks/index.ts";
import { describeCustomer } from "./describe-customers.ts";
import { customerErrors } from "./errors.ts";
import { lockCustomerByExternalId, lockCustomersOfClock, replaceTaxes, updateCustomer } from "./store.ts";
import type { ApiCustomer } from "./to-api.ts";

const BATCH = 100;
const DELETE_OF_CLOCK_JOB = "delete_customers_of_clock";

export async function deleteCustomer(
  tx: Tx,
  organizationId: string,
  externalId: string,
  clock: Clock,
): Promise<ApiCustomer> {
  const customer = await lockCustomerByExternalId(tx, organizationId, externalId);
  if (!customer) throw customerErrors.problem("customer_not_found");
  await holdCustomerClock(tx, organizationId, customer.test_clock_id, clock);
  const described = await describeCustomer(tx, organizationId, customer);
  await hide(tx, organizationId, customer.id, clock);
  return described;
}

async function hide(tx: Tx, organizationId: string, id: string, clock: Clock): Promise<void> {
  await updateCustomer(tx, organizationId, id, { deleted_at: clock.now() });
  await replaceTaxes(tx, organizationId, id, []);
}

/** The first hundred at once; the rest, if any, by a job that can be repeated. */
export const deleteCustomersOfClock =
  (clock: Clock) =>
  async (tx: Tx, organizationId: string, testClockId: string): Promise<void> => {
    const batch = await lockCustomersOfClock(tx, organizationId, testClockId, BATCH);
    for (const { id } of batch) await hide(tx, organizationId, id, clock);
    if (batch.length === BATCH)
      await enqueueJob(tx, DELETE_OF_CLOCK_JOB, { testClockId }, { jobKey: `${DELETE_OF_CLOCK_JOB}:${testClockId}` });
  };

export const customerJobs = (db: Database, clock: Clock): Record<string, JobHandler> => ({
  [DELETE_OF_CLOCK_JOB]: (organizationId, payload) =>
    inOrganization(db, organizationId, (tx) =>
      deleteCustomersOfClock(clock)(tx, organizationId, (payload as { testClockId: string }).testClockId),
    ),
});
