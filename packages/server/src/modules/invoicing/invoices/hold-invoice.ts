/** Locks an invoice and its customer. No other transaction works on either until this one ends. */
import assert from "node:assert/strict";
import { lockCustomer } from "../../../jobs/due-store.ts";
import type { Clock } from "../../../platform/clock.ts";
import { alone } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { findCustomersById, holdCustomerClock } from "../../customers/index.ts";
import { invoiceErrors } from "./errors.ts";
import { findInvoice, type InvoiceRow, lockInvoice } from "./store.ts";

/** `now` is the customer's time. */
export type LockedInvoice = { row: InvoiceRow; now: Temporal.Instant };

/** Locks the clock, then the customer, then the invoice. Also for a deleted customer, whose invoices stay. */
export async function holdInvoice(tx: Tx, organizationId: string, id: string, clock: Clock): Promise<LockedInvoice> {
  const found = await findInvoice(tx, organizationId, id);
  if (!found) throw invoiceErrors.problem("invoice_not_found", [id]);
  const [customer] = await findCustomersById(alone(tx), organizationId, [found.customer_id]);
  assert(customer, "an invoice has a customer");
  const { test_clock_id: testClockId } = customer;
  const stood = testClockId && (await holdCustomerClock(tx, organizationId, testClockId, clock));
  await lockCustomer(tx, organizationId, customer.id);
  return { row: await lockInvoice(alone(tx), organizationId, id), now: stood || clock.now() };
}
