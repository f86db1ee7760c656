/** Updates a purchase of credits with its payment. Paid credits enter the wallet; after a bounce, the rest of them leaves it. */
import { creditsOf, lotAfterPayment, withheldOf } from "@tallystick/core/invoicing";
import { type Minor, minor } from "@tallystick/core/money";
import type { Clock } from "../../../platform/clock.ts";
import { alone, type Batch } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import type { InvoiceRow } from "../../invoicing/index.ts";
import { askForRefresh } from "../wallet-refreshes/index.ts";
import { addTransaction, moveValue, tell } from "./move-credits.ts";
import { findFilled } from "./refund-purchase.ts";
import { rateOf, statusAt, type TransactionRow, type WalletRow } from "./row.ts";
import { type Scope, scopeOfCustomer, writtenAt } from "./scope.ts";
import { isLotSpent, updateTransaction } from "./store.ts";

const NOTHING = minor(0n);

/** A purchased lot, with its wallet and the amount written off its invoice. */
export type Purchase = { lot: TransactionRow; wallet: WalletRow; writtenOffMinor: Minor };

/**
 * Called when the payment status of an invoice changes. Returns the amount to refund: what was paid for a wallet that has ended.
 * The customer is locked.
 */
export const followPayment =
  (clock: Clock) =>
  async (tx: Tx, invoice: InvoiceRow, at: Temporal.Instant): Promise<Minor> => {
    if (invoice.invoice_type !== "credit") return NOTHING;
    const { organization_id: organizationId, customer_id: customerId } = invoice;
    const scope = await scopeOfCustomer(alone(tx), { organizationId, customerId, at }, clock);
    const filled = await findFilled(tx, organizationId, invoice.id);
    const purchase = { ...filled, writtenOffMinor: minor(invoice.written_off_amount_cents) };
    const isPaid = invoice.payment_status === "succeeded";
    await askForRefresh(alone(tx), organizationId, { customerId, now: clock.now() });
    if (isPaid && statusAt(filled.wallet, at) === "terminated") return refuseCredits(tx, scope, purchase);
    if (filled.lot.status !== "settled") await settle(alone(tx), scope, purchase, invoice.payment_status);
    else await adjustLot(alone(tx), scope, purchase, isPaid);
    return NOTHING;
  };

/** An ended wallet takes nothing. Withheld credits are refunded once; credits that were in the wallet were lost with it. */
async function refuseCredits(tx: Tx, scope: Scope, { lot, writtenOffMinor }: Purchase): Promise<Minor> {
  const { organizationId } = scope;
  const refundMinor = withheldOf({ withheldMinor: minor(lot.withheld_amount_cents), writtenOffMinor });
  const isSettled = lot.status === "settled";
  await updateTransaction(tx, organizationId, lot.id, {
    withheld_amount_cents: lot.withheld_amount_cents - refundMinor,
    ...(isSettled ? { bounced_at: null, predates_lots: false } : { status: "failed", failed_at: writtenAt(scope) }),
  });
  return refundMinor;
}

/** Settles a purchase that never entered the wallet. If nothing is left to pay, nothing was bought. */
async function settle(batch: Batch, scope: Scope, purchase: Purchase, payment: string): Promise<void> {
  const { lot, wallet, writtenOffMinor } = purchase;
  const amounts = { remainingMinor: NOTHING, withheldMinor: minor(lot.withheld_amount_cents), writtenOffMinor };
  const isGranted = lotAfterPayment(amounts, payment === "succeeded") > 0n;
  const status = isGranted ? "settled" : payment === "pending" ? "pending" : "failed";
  if (lot.status === status) return;
  const written = writtenAt(scope);
  const transaction = await updateTransaction(batch.tx, scope.organizationId, lot.id, {
    status,
    settled_at: status === "settled" ? written : null,
    failed_at: status === "failed" ? written : null,
    ...(isGranted ? { remaining_amount_cents: lot.amount_cents, withheld_amount_cents: 0n } : {}),
  });
  const filled = isGranted ? await moveValue(batch, scope, wallet, transaction) : wallet;
  if (status !== "pending") await tell(batch, scope, { wallet: filled, transaction }, "wallet_transaction.updated");
  if (isGranted) await adjustLot(batch, scope, { lot: transaction, wallet: filled, writtenOffMinor }, true);
}

/** A voided purchase is never paid. A purchase from before lots may still have unpaid credits: they leave the wallet. */
export async function failPurchase(batch: Batch, scope: Scope, invoiceId: string): Promise<void> {
  const filled = await findFilled(batch.tx, scope.organizationId, invoiceId);
  const purchase = { ...filled, writtenOffMinor: NOTHING };
  if (filled.lot.status !== "settled") await settle(batch, scope, purchase, "failed");
  else if (filled.lot.remaining_amount_cents > 0n) await adjustLot(batch, scope, purchase, false);
}

/** Adds to the wallet, or removes from it, what a change of a settled purchase requires. */
export async function adjustLot(batch: Batch, scope: Scope, purchase: Purchase, isPaid: boolean): Promise<WalletRow> {
  const { lot, wallet, writtenOffMinor } = purchase;
  const { organizationId } = scope;
  const [remainingMinor, withheldMinor] = [minor(lot.remaining_amount_cents), minor(lot.withheld_amount_cents)];
  const byMinor = lotAfterPayment({ remainingMinor, withheldMinor, writtenOffMinor }, isPaid) - remainingMinor;
  // The rest of an expired wallet is lost, even if no worker has recorded the expiry yet.
  const isLost = byMinor < 0n && statusAt(wallet, scope.now) === "terminated";
  const state = {
    withheld_amount_cents: isLost ? withheldMinor : withheldMinor - byMinor,
    bounced_at: isPaid ? null : (lot.bounced_at ?? writtenAt(scope)),
    predates_lots: isPaid && lot.predates_lots,
  };
  // A lot never holds and awaits more than was bought, and holds nothing while it is marked as bounced.
  if (byMinor >= 0n) await updateTransaction(batch.tx, organizationId, lot.id, state);
  const filled = byMinor === 0n ? wallet : await correct(batch, scope, { lot, wallet }, byMinor);
  if (byMinor < 0n) await updateTransaction(batch.tx, organizationId, lot.id, state);
  return filled;
}

/** A visible transaction that moves credits of the purchase out of the wallet or back. */
async function correct(
  batch: Batch,
  scope: Scope,
  { lot, wallet }: Omit<Purchase, "writtenOffMinor">,
  byMinor: bigint,
): Promise<WalletRow> {
  const amountMinor = minor(byMinor > 0n ? byMinor : -byMinor);
  const moved = await addTransaction(batch, scope, wallet, {
    kind: byMinor > 0n ? "purchased" : "voided",
    amountMinor,
    credits: creditsOf(amountMinor, rateOf(wallet)),
    source: "manual",
    ...(lot.invoice_id === null ? {} : { invoiceId: lot.invoice_id }),
    lotId: lot.id,
    corrects: true,
  });
  return moved.wallet;
}

/** Whether credits that an invoice bought are currently spent. */
export async function isPurchaseSpent(tx: Tx, invoice: InvoiceRow): Promise<boolean> {
  if (invoice.invoice_type !== "credit") return false;
  const { lot } = await findFilled(tx, invoice.organization_id, invoice.id);
  return isLotSpent(tx, invoice.organization_id, lot.id);
}
