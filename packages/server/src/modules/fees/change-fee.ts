/** Fees that stand alone are paid, or deleted, one by one. */
import type { Clock } from "../../platform/clock.ts";
import type { Tx } from "../../platform/postgres/database.ts";
import { findCustomersById } from "../customers/index.ts";
import { holdCustomerClock } from "../test-clocks/index.ts";
import { describeFee } from "./describe-fees.ts";
import { feeErrors } from "./errors.ts";
import { type FeeRow, findFee, hideFee, lockFee, updatePayment } from "./store.ts";
import type { ApiFee } from "./to-api.ts";

export async function payFee(
  tx: Tx,
  organizationId: string,
  { id, status }: { id: string; status: string },
  clock: Clock,
): Promise<FeeRow> {
  // When it was paid decides which invoice takes it, so the customer's clock tells it.
  const { now } = await holdAlone(tx, organizationId, id, clock);
  return updatePayment(tx, organizationId, { id, status, now });
}

/** The answer shows it as it was. */
export async function removeFee(tx: Tx, organizationId: string, id: string, clock: Clock): Promise<ApiFee> {
  const { row } = await holdAlone(tx, organizationId, id, clock);
  const described = await describeFee(tx, organizationId, row);
  await hideFee(tx, organizationId, id, clock.now());
  return described;
}

/** `now` is the customer's. */
type HeldFee = { row: FeeRow; now: Temporal.Instant };

/** The clock before the fee, as an advance takes them: a test clock that advances refuses. */
async function holdAlone(tx: Tx, organizationId: string, id: string, clock: Clock): Promise<HeldFee> {
  const found = await findFee(tx, organizationId, id);
  if (!found) throw feeErrors.problem("fee_not_found");
  const [customer] = await findCustomersById(tx, organizationId, [found.customer_id]);
  const now = await holdCustomerClock(tx, organizationId, customer?.test_clock_id ?? null, clock);
  const row = await lockFee(tx, organizationId, id);
  if (!row) throw feeErrors.problem("fee_not_found");
  if (row.invoice_id !== null) throw feeErrors.problem("invoiced_fee");
  return { row, now };
}
