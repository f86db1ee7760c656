/** Refunds a purchase by a credit note, up to what is left of its lot. */
import assert from "node:assert/strict";
import { creditsOf } from "@tallystick/core/invoicing";
import { type Minor, minor } from "@tallystick/core/money";
import type { Clock } from "../../../platform/clock.ts";
import { alone } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { findCustomersById, readCustomerClock } from "../../customers/index.ts";
import { askForRefresh } from "../wallet-refreshes/index.ts";
import { addTransaction } from "./move-credits.ts";
import { rateOf, statusAt, type TransactionRow, type WalletRow } from "./row.ts";
import { type Scope, scopeOf } from "./scope.ts";
import { findPurchase, findWallets } from "./store.ts";

/** A note on an invoice for credits. */
type Note = {
  organization_id: string;
  id: string;
  invoice_id: string;
  customer_id: string;
  refund_amount_cents: bigint;
};

export const purchasedCredits = (clock: Clock) => ({
  left: async (tx: Tx, organizationId: string, invoiceId: string): Promise<Minor> => {
    const { lot, wallet } = await findFilled(tx, organizationId, invoiceId);
    const { now } = await scopeNow(tx, wallet, clock);
    return minor(statusAt(wallet, now) === "active" ? lot.remaining_amount_cents : 0n);
  },
  /** The customer is locked. */
  takeBack: async (tx: Tx, note: Note): Promise<void> => {
    const { organization_id: organizationId, id: creditNoteId, refund_amount_cents: amount } = note;
    if (amount === 0n) return;
    const { lot, wallet } = await findFilled(tx, organizationId, note.invoice_id);
    const amountMinor = minor(amount);
    const credits = creditsOf(amountMinor, rateOf(wallet));
    const movement = { kind: "voided", amountMinor, credits, source: "manual", creditNoteId, lotId: lot.id } as const;
    await addTransaction(alone(tx), await scopeNow(tx, wallet, clock), wallet, movement);
    await askForRefresh(alone(tx), organizationId, { customerId: wallet.customer_id, now: clock.now() });
  },
});

type Filled = { lot: TransactionRow; wallet: WalletRow };

/** The lot that an invoice bought, and its wallet. */
export async function findFilled(tx: Tx, organizationId: string, invoiceId: string): Promise<Filled> {
  const lot = await findPurchase(tx, organizationId, invoiceId);
  const [wallet] = lot ? await findWallets(tx, organizationId, [lot.wallet_id]) : [];
  assert(lot && wallet, "an invoice for credits has a lot and a wallet");
  return { lot, wallet };
}

async function scopeNow(tx: Tx, { organization_id, customer_id }: WalletRow, clock: Clock): Promise<Scope> {
  const [row] = await findCustomersById(alone(tx), organization_id, [customer_id]);
  assert(row, "a wallet has a customer");
  const testClockId = row.deleted_at === null ? row.test_clock_id : null;
  return scopeOf({ row, now: await readCustomerClock(tx, organization_id, testClockId, clock) }, clock);
}
