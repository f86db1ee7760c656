/**
 * Deletes customers: they are hidden at once, their external_id can be used again, and their finalized documents stay. Their last
 * invoices are made as at a termination; coupons and wallets end afterwards.
 */
import type { DueRegistry } from "../../../jobs/due.ts";
import { enqueueJob, type JobHandler } from "../../../jobs/queue.ts";
import type { Clock } from "../../../platform/clock.ts";
import { alone } from "../../../platform/postgres/batch.ts";
import { type Database, inOrganization, type Tx } from "../../../platform/postgres/database.ts";
import { describeCustomer } from "./describe-customers.ts";
import { askToEndCustomer, type EndDeps } from "./end-customer.ts";
import { customerErrors } from "./errors.ts";
import { holdCustomerByExternalId, type LockedCustomer } from "./hold-customer.ts";
import { lockCustomersOfClock, replaceTaxes, updateCustomer } from "./store.ts";
import type { ApiCustomer } from "./to-api.ts";

const BATCH = 100;
const DELETE_OF_CLOCK_JOB = "delete_customers_of_clock";

export type DeleteDeps = EndDeps & {
  clock: Clock;
  registry: DueRegistry;
  /** Runs before the transaction: events accepted so far are billed by the customer's current subscriptions. */
  beforeTransaction: (organizationId: string) => Promise<void>;
  /** Ends the customer's subscriptions and makes its open invoices due. */
  beforeDelete: (tx: Tx, customer: LockedCustomer) => Promise<void>;
  /** Runs after the commit: on a test clock, no worker would soon run what is due at once. */
  afterDelete: (organizationId: string, customerId: string) => Promise<void>;
};

export async function deleteCustomer(
  tx: Tx,
  organizationId: string,
  externalId: string,
  deps: DeleteDeps,
): Promise<ApiCustomer> {
  const customer = await holdCustomerByExternalId(tx, organizationId, externalId, deps.clock);
  if (!customer) throw customerErrors.problem("customer_not_found");
  const described = await describeCustomer(tx, organizationId, customer.row);
  await hide(tx, organizationId, customer, deps);
  return described;
}

async function hide(tx: Tx, organizationId: string, customer: LockedCustomer, deps: DeleteDeps): Promise<void> {
  const { id } = customer.row;
  await deps.beforeDelete(tx, customer);
  const row = await updateCustomer(tx, organizationId, id, { deleted_at: deps.clock.now() });
  await replaceTaxes(tx, organizationId, id, []);
  if (await deps.hasOpenInvoices(tx, row))
    await askToEndCustomer(alone(tx), deps.registry, row, { subjectId: id, at: customer.now });
  else await deps.endValue(alone(tx), { row, now: customer.now }, deps.registry);
}

/** Deletes the first hundred at once. A repeatable job deletes the rest. */
export const deleteCustomersOfClock =
  (deps: DeleteDeps) =>
  async (tx: Tx, organizationId: string, testClock: { id: string; now: Temporal.Instant }): Promise<void> => {
    const { id: testClockId, now } = testClock;
    const batch = await lockCustomersOfClock(tx, organizationId, testClockId, BATCH);
    for (const row of batch) await hide(tx, organizationId, { row, now }, deps);
    if (batch.length === BATCH)
      await enqueueJob(
        tx,
        DELETE_OF_CLOCK_JOB,
        { testClockId, now: now.toString() },
        { jobKey: `${DELETE_OF_CLOCK_JOB}:${testClockId}` },
      );
  };

export const customerJobs = (db: Database, deps: DeleteDeps): Record<string, JobHandler> => ({
  [DELETE_OF_CLOCK_JOB]: (organizationId, payload) => {
    const { testClockId, now } = payload as { testClockId: string; now: string };
    const testClock = { id: testClockId, now: Temporal.Instant.from(now) };
    return inOrganization(db, organizationId, (tx) => deleteCustomersOfClock(deps)(tx, organizationId, testClock));
  },
});
