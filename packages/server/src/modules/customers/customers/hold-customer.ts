/** A customer held for a change: nobody else works for it until the transaction ends. */
import type { Clock } from "../../../platform/clock.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { holdCustomerClock } from "../test-clocks/index.ts";
import type { CustomerRow } from "./schema.ts";
import { findCustomer, lockCustomerRow } from "./store.ts";

/** `now` is the customer's: its test clock's, or the real one's. */
export type LockedCustomer = { row: CustomerRow; now: Temporal.Instant };

/** The clock before the customer, as an advance takes them: whoever did it the other way round would wait for each other. */
export async function holdCustomer(
  tx: Tx,
  organizationId: string,
  found: Pick<CustomerRow, "id" | "test_clock_id">,
  clock: Clock,
): Promise<LockedCustomer | undefined> {
  const { test_clock_id } = found;
  const stood = test_clock_id && (await holdCustomerClock(tx, organizationId, test_clock_id, clock));
  const row = await lockCustomerRow(tx, organizationId, found.id);
  // The real clock is read last: while we waited for the customer, others made history.
  return row && { row, now: stood || clock.now() };
}

export async function holdCustomerByExternalId(
  tx: Tx,
  organizationId: string,
  externalId: string,
  clock: Clock,
): Promise<LockedCustomer | undefined> {
  const found = await findCustomer(tx, organizationId, externalId);
  return found && holdCustomer(tx, organizationId, found, clock);
}
