/** A customer locked for a change: no other transaction works on it until this one ends. */
import type { Clock } from "../../../platform/clock.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { holdCustomerClock } from "../test-clocks/index.ts";
import type { CustomerRow } from "./schema.ts";
import { findCustomer, lockCustomerRow } from "./store.ts";

/** `now` is the customer's time: that of its test clock, or real time. */
export type LockedCustomer = { row: CustomerRow; now: Temporal.Instant };

/** Locks the clock before the customer, in the same order as an advance. The other order would deadlock. */
export async function holdCustomer(
  tx: Tx,
  organizationId: string,
  found: Pick<CustomerRow, "id" | "test_clock_id">,
  clock: Clock,
): Promise<LockedCustomer | undefined> {
  const { test_clock_id } = found;
  const stood = test_clock_id && (await holdCustomerClock(tx, organizationId, test_clock_id, clock));
  const row = await lockCustomerRow(tx, organizationId, found.id);
  // The real clock is read last, because other transactions may have changed the customer while this one waited.
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
