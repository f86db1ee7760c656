/** How invoices use wallet credits, and return them when voided. */
import assert from "node:assert/strict";
import { minor } from "@tallystick/core/money";
import type { Clock } from "../../../platform/clock.ts";
import type { Batch } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import type { CreditSource, InvoiceRow, Spending } from "../../invoicing/index.ts";
import { askForRefresh } from "../wallet-refreshes/index.ts";
import { adjustLot, failPurchase } from "./follow-payment.ts";
import { addTransaction } from "./move-credits.ts";
import { statusAt, toCoreWallet, type WalletRow } from "./row.ts";
import { type Scope, scopeOfCustomer } from "./scope.ts";
import {
  findActiveWallets,
  findLotMovements,
  findPurchasedLots,
  findUses,
  findWallets,
  type LotMovement,
  updateTransaction,
} from "./store.ts";

/** The caller locks the customer, and so all its wallets. */
export const walletCredits = (clock: Clock): CreditSource => ({
  load: async (batch, organizationId, { customerId }) => ({
    wallets: (await findActiveWallets(batch, organizationId, [customerId])).map(toCoreWallet),
  }),
  use: async (batch, organizationId, spending) => {
    // A purchase changes nothing until it is paid. With a refresh, a rule that buys would fire again and again.
    if (spending.invoiceType === "credit") return;
    await useCredits(batch, organizationId, spending, clock);
    await askForRefresh(batch, organizationId, { customerId: spending.customerId, now: clock.now() });
  },
  /** Invoices show wallet credits only as a sum. */
  show: async () => [],
  giveBack: async (batch, organizationId, { invoice, at }) => {
    const { customer_id: customerId, id } = invoice;
    if (invoice.invoice_type === "credit")
      await failPurchase(batch, await scopeOfCustomer(batch, { organizationId, customerId, at }, clock), id);
    else await giveBack(batch, { invoice, at }, clock);
    await askForRefresh(batch, organizationId, { customerId, now: clock.now() });
  },
});

async function useCredits(batch: Batch, organizationId: string, spending: Spending, clock: Clock): Promise<void> {
  const { walletUses } = spending.uses;
  if (walletUses.length === 0) return;
  const { invoiceId, customerId, at } = spending;
  const scope = await scopeOfCustomer(batch, { organizationId, customerId, at }, clock);
  const rows = await findWallets(
    batch.tx,
    organizationId,
    walletUses.map(({ wallet }) => wallet.id),
  );
  for (const { wallet, amountMinor, credits } of walletUses) {
    const row = rows.find(({ id }) => id === wallet.id);
    assert(row?.balance_cents === wallet.balanceMinor, "the wallet was read under its lock");
    await addTransaction(batch, scope, row, { kind: "invoiced", amountMinor, credits, source: "manual", invoiceId });
  }
}

type Changed = { invoice: InvoiceRow; at: Temporal.Instant };

/** Returns credits to their lots, in wallets that have not ended. */
async function giveBack(batch: Batch, { invoice, at }: Changed, clock: Clock): Promise<void> {
  const { organization_id: organizationId, id: voidedInvoiceId, customer_id: customerId } = invoice;
  const uses = await findUses(batch.tx, organizationId, voidedInvoiceId);
  const scope = await scopeOfCustomer(batch, { organizationId, customerId, at }, clock);
  const wallets = await findWallets(
    batch.tx,
    organizationId,
    uses.map(({ wallet_id }) => wallet_id),
  );
  for (const { id, wallet_id, amount_cents, credit_amount: credits } of uses) {
    const wallet = wallets.find((one) => one.id === wallet_id);
    if (!wallet || statusAt(wallet, at) === "terminated") continue;
    const taken = await findLotMovements(batch.tx, organizationId, [id]);
    const returns = taken.map(({ lot_id, amount_cents: amount }) => ({ lotId: lot_id, amountCents: -amount }));
    const returned = { kind: "granted", amountMinor: minor(amount_cents), credits, source: "manual" } as const;
    const bounced = await liftBounces(batch.tx, organizationId, returns);
    const filled = await addTransaction(batch, scope, wallet, { ...returned, voidedInvoiceId, returns });
    await withholdUnpaid(batch, scope, filled.wallet, { returns, bounced });
  }
}

type Returned = { returns: readonly LotMovement[]; bounced: ReadonlySet<string> };

/** A lot marked as bounced takes no credits. The mark is lifted and set again after the credits have left. */
async function liftBounces(tx: Tx, organizationId: string, returns: Returned["returns"]): Promise<Set<string>> {
  const lots = await findPurchasedLots(tx, organizationId, lotsIn(returns));
  const bounced = lots.filter(({ bounced_at }) => bounced_at !== null).map(({ id }) => id);
  for (const id of bounced) await updateTransaction(tx, organizationId, id, { bounced_at: null });
  return new Set(bounced);
}

const lotsIn = (returns: Returned["returns"]) => returns.map(({ lotId }) => lotId);

/** Credits that return to an unpaid or partly paid purchase do not stay in the wallet. */
async function withholdUnpaid(
  batch: Batch,
  scope: Scope,
  wallet: WalletRow,
  { returns, bounced }: Returned,
): Promise<void> {
  let current = wallet;
  const lots = await findPurchasedLots(batch.tx, scope.organizationId, lotsIn(returns));
  for (const { written_off_amount_cents, ...lot } of lots) {
    const purchase = { lot, wallet: current, writtenOffMinor: minor(written_off_amount_cents) };
    current = await adjustLot(batch, scope, purchase, !bounced.has(lot.id));
  }
}
