/** Pays or deletes standalone fees. */
import assert from "node:assert/strict";
import type { FeePaymentStatus } from "@tallystick/core/invoicing";
import { lockCustomer } from "../../../jobs/due-store.ts";
import type { Clock } from "../../../platform/clock.ts";
import { alone } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { findCustomersById, holdCustomerClock } from "../../customers/index.ts";
import { describeFee } from "./describe-fees.ts";
import { feeErrors } from "./errors.ts";
import { removeAlone, setPayment } from "./receivable.ts";
import { type FeeRow, findFee, lockFee } from "./store.ts";
import type { ApiFee } from "./to-api.ts";

/** A fee locked for a change, with its customer, which may be deleted. `now` is the customer's time. */
export type LockedFee = {
  row: FeeRow;
  customer: { id: string; testClockId: string | null };
  now: Temporal.Instant;
};

export type FeeDeps = {
  clock: Clock;
  /** In the transaction of the payment: schedules the invoice for the fee, if no bill does. */
  onPaid: (tx: Tx, organizationId: string, locked: LockedFee) => Promise<void>;
};

export async function payFee(
  tx: Tx,
  organizationId: string,
  { id, status }: { id: string; status: FeePaymentStatus },
  { clock, onPaid }: FeeDeps,
): Promise<FeeRow> {
  // The payment time decides which invoice gets the fee, so it is the customer's time.
  const locked = await holdFee(tx, organizationId, id, clock);
  // A repeated status changes nothing: the first payment time stays.
  if (locked.row.payment_status === status) return locked.row;
  demandAlone(locked);
  const row = await setPayment(tx, locked.row, status, { at: locked.now, now: clock.now() });
  if (status === "succeeded") await onPaid(tx, organizationId, { ...locked, row });
  return row;
}

/** The answer shows the fee before its deletion. */
export async function removeFee(tx: Tx, organizationId: string, id: string, clock: Clock): Promise<ApiFee> {
  const locked = await holdFee(tx, organizationId, id, clock);
  demandAlone(locked);
  const { row, now: at } = locked;
  const described = await describeFee(tx, organizationId, row);
  if (!(await removeAlone(alone(tx), row, { at, now: clock.now() }))) throw feeErrors.problem("paid_fee");
  return described;
}

/**
 * Locks the clock, then the customer, then the fee, in the order of an advance. A test clock that is advancing refuses. Under the
 * customer's lock, a payment comes either before or after the end of its subscription.
 */
async function holdFee(tx: Tx, organizationId: string, id: string, clock: Clock): Promise<LockedFee> {
  const found = await findFee(tx, organizationId, id);
  if (!found) throw feeErrors.problem("fee_not_found");
  const [customer] = await findCustomersById(alone(tx), organizationId, [found.customer_id]);
  assert(customer, "a fee has a customer");
  const { id: customerId, test_clock_id: testClockId } = customer;
  const now = await holdCustomerClock(tx, organizationId, testClockId, clock);
  await lockCustomer(tx, organizationId, customerId);
  const row = await lockFee(tx, organizationId, id);
  if (!row) throw feeErrors.problem("fee_not_found");
  return { row, customer: { id: customerId, testClockId }, now };
}

function demandAlone({ row }: LockedFee): void {
  if (row.invoice_id !== null) throw feeErrors.problem("invoiced_fee");
}
