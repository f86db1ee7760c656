/** The customer, clock and instant that every movement of credits needs. */
import assert from "node:assert/strict";
import type { Clock } from "../../../platform/clock.ts";
import type { Batch } from "../../../platform/postgres/batch.ts";
import { findCustomersById, type LockedCustomer } from "../../customers/index.ts";

/** The customer is locked; `now` is an instant of its clock. */
export type Scope = {
  organizationId: string;
  customer: { id: string; testClockId: string | null };
  now: Temporal.Instant;
  clock: Clock;
};

export const scopeOf = ({ row, now }: LockedCustomer, clock: Clock): Scope => ({
  organizationId: row.organization_id,
  customer: { id: row.id, testClockId: row.test_clock_id },
  now,
  clock,
});

/** Also for a deleted customer, whose invoices stay. */
export async function scopeOfCustomer(
  batch: Batch,
  { organizationId, customerId, at }: { organizationId: string; customerId: string; at: Temporal.Instant },
  clock: Clock,
): Promise<Scope> {
  const [row] = await findCustomersById(batch, organizationId, [customerId]);
  assert(row, "an invoice has a customer");
  return scopeOf({ row, now: at }, clock);
}

/** Rows of a customer on a test clock use its time. */
export const writtenAt = ({ customer, now, clock }: Scope): Temporal.Instant =>
  customer.testClockId === null ? clock.now() : now;
