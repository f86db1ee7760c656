/** Fees that stand alone are paid, or deleted, one by one. */
import type { Clock } from "../../platform/clock.ts";
import type { Tx } from "../../platform/postgres/database.ts";
import { findCustomersById } from "../customers/index.ts";
import { readCustomerClock } from "../test-clocks/index.ts";
import { describeFee } from "./describe-fees.ts";
import { feeErrors } from "./errors.ts";
import { type FeeRow, hideFee, lockFee, updatePayment } from "./store.ts";
import type { ApiFee } from "./to-api.ts";

export async function payFee(
  tx: Tx,
  organizationId: string,
  { id, status }: { id: string; status: string },
  clock: Clock,
): Promise<FeeRow> {
  const row = await holdAlone(tx, organizationId, id);
  const [customer] = await findCustomersById(tx, organizationId, [row.customer_id]);
  // When it was paid decides which invoice takes it, so it is told by the customer's clock.
  const now = await readCustomerClock(tx, organizationId, customer?.test_clock_id ?? null, clock);
  return updatePayment(tx, organizationId, { id, status, now });
}

/** The answer shows it as it was. */
export async function removeFee(tx: Tx, organizationId: string, id: string, clock: Clock): Promise<ApiFee> {
  const described = await describeFee(tx, organizationId, await holdAlone(tx, organizationId, id));
  await hideFee(tx, organizationId, id, clock.now());
  return described;
}

async function holdAlone(tx: Tx, organizationId: string, id: string): Promise<FeeRow> {
  const row = await lockFee(tx, organizationId, id);
  if (!row) throw feeErrors.problem("fee_not_found");
  if (row.invoice_id !== null) throw feeErrors.problem("invoiced_fee");
  return row;
}
