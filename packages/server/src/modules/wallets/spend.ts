/** What invoices do to wallets: they use their credits, give them back when they are void, and pay for what was bought. */
import assert from "node:assert/strict";
import { minor } from "@tallystick/core/money";
import type { Clock } from "../../platform/clock.ts";
import type { Tx } from "../../platform/postgres/database.ts";
import { findCustomersById } from "../customers/index.ts";
import type { CreditSource, InvoiceRow, Spending } from "../invoices/index.ts";
import { askForRefresh } from "../wallet-refreshes/index.ts";
import { addTransaction, moveValue, tell } from "./move-credits.ts";
import { statusAt, toCoreWallet } from "./row.ts";
import { type Scope, scopeOf, writtenAt } from "./scope.ts";
import { findActiveWallets, findPurchase, findUses, findWallets, updateTransaction } from "./store.ts";

/** Whoever spends holds the customer, and with it all of its wallets. */
export const walletCredits = (clock: Clock): CreditSource => ({
  load: async (tx, organizationId, { customerId }) => ({
    wallets: (await findActiveWallets(tx, organizationId, [customerId])).map(toCoreWallet),
  }),
  use: async (tx, organizationId, spending) => {
    // A purchase changes nothing until it is paid; a rule that bought would fire again and again.
    if (spending.invoiceType === "credit") return;
    await useCredits(tx, organizationId, spending, clock);
    await askForRefresh(tx, organizationId, { customerId: spending.customerId, now: clock.now() });
  },
  /** As a sum only. */
  show: async () => [],
  giveBack: async (tx, organizationId, { invoice, at }) => {
    if (invoice.invoice_type === "credit") await settle(tx, { invoice, at }, "failed", clock);
    else await giveBack(tx, { invoice, at }, clock);
    await askForRefresh(tx, organizationId, { customerId: invoice.customer_id, now: clock.now() });
  },
});

async function useCredits(tx: Tx, organizationId: string, spending: Spending, clock: Clock): Promise<void> {
  const { walletUses } = spending.uses;
  if (walletUses.length === 0) return;
  const { invoiceId, customerId, at } = spending;
  const scope = await scopeOfCustomer(tx, { organizationId, customerId, at }, clock);
  const rows = await findWallets(
    tx,
    organizationId,
    walletUses.map(({ wallet }) => wallet.id),
  );
  for (const { wallet, amountMinor, credits } of walletUses) {
    const row = rows.find(({ id }) => id === wallet.id);
    assert(row?.balance_cents === wallet.balanceMinor, "what is spent was read under the lock that holds it");
    await addTransaction(tx, scope, row, { kind: "invoiced", amountMinor, credits, source: "manual", invoiceId });
  }
}

type Changed = { invoice: InvoiceRow; at: Temporal.Instant };

/** As granted credits, to wallets that have not ended. */
async function giveBack(tx: Tx, { invoice, at }: Changed, clock: Clock): Promise<void> {
  const { organization_id: organizationId, id: voidedInvoiceId, customer_id: customerId } = invoice;
  const uses = await findUses(tx, organizationId, voidedInvoiceId);
  const scope = await scopeOfCustomer(tx, { organizationId, customerId, at }, clock);
  const wallets = await findWallets(
    tx,
    organizationId,
    uses.map(({ wallet_id }) => wallet_id),
  );
  for (const { wallet_id, amount_cents, credit_amount: credits } of uses) {
    const wallet = wallets.find(({ id }) => id === wallet_id);
    if (!wallet || statusAt(wallet, at) === "terminated") continue;
    const returned = { kind: "granted", amountMinor: minor(amount_cents), credits, source: "manual" } as const;
    await addTransaction(tx, scope, wallet, { ...returned, voidedInvoiceId });
  }
}

const STATUS_BY_PAYMENT: Readonly<Record<string, "pending" | "settled" | "failed">> = {
  pending: "pending",
  succeeded: "settled",
  failed: "failed",
};

/** When it is said whether an invoice was paid. */
export const settlePurchases =
  (clock: Clock) =>
  async (tx: Tx, invoice: InvoiceRow, at: Temporal.Instant): Promise<void> => {
    const status = STATUS_BY_PAYMENT[invoice.payment_status];
    if (invoice.invoice_type === "credit" && status) await settle(tx, { invoice, at }, status, clock);
  };

/** What is settled stays so: its credits may be used already. */
async function settle(
  tx: Tx,
  { invoice, at }: Changed,
  status: "pending" | "settled" | "failed",
  clock: Clock,
): Promise<void> {
  const { organization_id: organizationId, id, customer_id: customerId } = invoice;
  const purchase = await findPurchase(tx, organizationId, id);
  if (!purchase || purchase.status === "settled" || purchase.status === status) return;
  const scope = await scopeOfCustomer(tx, { organizationId, customerId, at }, clock);
  const written = writtenAt(scope);
  const transaction = await updateTransaction(tx, organizationId, purchase.id, {
    status,
    settled_at: status === "settled" ? written : null,
    failed_at: status === "failed" ? written : null,
  });
  const [before] = await findWallets(tx, organizationId, [purchase.wallet_id]);
  assert(before, "a transaction has a wallet");
  const wallet = status === "settled" ? await moveValue(tx, scope, before, transaction) : before;
  if (status !== "pending") await tell(tx, scope, { wallet, transaction }, "wallet_transaction.updated");
  await askForRefresh(tx, organizationId, { customerId, now: clock.now() });
}

/** Also of one that was deleted: its invoices stay. */
async function scopeOfCustomer(
  tx: Tx,
  { organizationId, customerId, at }: { organizationId: string; customerId: string; at: Temporal.Instant },
  clock: Clock,
): Promise<Scope> {
  const [row] = await findCustomersById(tx, organizationId, [customerId]);
  assert(row, "an invoice has a customer");
  return scopeOf({ row, now: at }, clock);
}
