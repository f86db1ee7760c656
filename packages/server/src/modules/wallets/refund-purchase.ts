/** What was bought may go back in money by a credit note, as far as it is still in the wallet. */
import assert from "node:assert/strict";
import { creditsOf } from "@tallystick/core/invoicing";
import { type Minor, minor } from "@tallystick/core/money";
import type { Clock } from "../../platform/clock.ts";
import type { Tx } from "../../platform/postgres/database.ts";
import { findCustomersById } from "../customers/index.ts";
import { readCustomerClock } from "../test-clocks/index.ts";
import { askForRefresh } from "../wallet-refreshes/index.ts";
import { addTransaction } from "./move-credits.ts";
import { rateOf, statusAt, type WalletRow } from "./row.ts";
import { type Scope, scopeOf } from "./scope.ts";
import { findPurchase, findWallets } from "./store.ts";

/** Of a note on an invoice of credits. */
type Note = {
  organization_id: string;
  id: string;
  invoice_id: string;
  customer_id: string;
  refund_amount_cents: bigint;
};

export const purchasedCredits = (clock: Clock) => ({
  left: async (tx: Tx, organizationId: string, invoiceId: string): Promise<Minor> => {
    const wallet = await findFilled(tx, organizationId, invoiceId);
    const { now } = await scopeNow(tx, wallet, clock);
    return minor(statusAt(wallet, now) === "active" ? wallet.balance_cents : 0n);
  },
  /** The customer is held. */
  takeBack: async (tx: Tx, note: Note): Promise<void> => {
    const { organization_id: organizationId, id: creditNoteId, refund_amount_cents: amount } = note;
    if (amount === 0n) return;
    const wallet = await findFilled(tx, organizationId, note.invoice_id);
    const amountMinor = minor(amount);
    const credits = creditsOf(amountMinor, rateOf(wallet));
    const movement = { kind: "voided", amountMinor, credits, source: "manual", creditNoteId } as const;
    await addTransaction(tx, await scopeNow(tx, wallet, clock), wallet, movement);
    await askForRefresh(tx, organizationId, { customerId: wallet.customer_id, now: clock.now() });
  },
});

async function findFilled(tx: Tx, organizationId: string, invoiceId: string): Promise<WalletRow> {
  const purchase = await findPurchase(tx, organizationId, invoiceId);
  const [wallet] = purchase ? await findWallets(tx, organizationId, [purchase.wallet_id]) : [];
  assert(wallet, "an invoice of credits fills a wallet");
  return wallet;
}

async function scopeNow(tx: Tx, { organization_id, customer_id }: WalletRow, clock: Clock): Promise<Scope> {
  const [row] = await findCustomersById(tx, organization_id, [customer_id]);
  assert(row, "a wallet has a customer");
  const testClockId = row.deleted_at === null ? row.test_clock_id : null;
  return scopeOf({ row, now: await readCustomerClock(tx, organization_id, testClockId, clock) }, clock);
}
