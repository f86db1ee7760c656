/** Prepaid credits over a life: what came in is what was spent, taken back, lost or is still there. */
import { demand } from "./demand.ts";
import type { Transaction, Wallet } from "./documents.ts";
import type { World } from "./world.ts";

const sumOf = (transactions: readonly Transaction[]): number => transactions.reduce((sum, { minor }) => sum + minor, 0);

export function checkWalletAccounts(world: World): void {
  const { wallets, transactions } = world.documents;
  for (const wallet of wallets) {
    const own = transactions.filter((one) => one.svc_wallet_id === wallet.svc_id);
    checkReturns(world, wallet, own);
    checkSum(wallet, own);
  }
}

/** What a void gives back is what was used there, once. */
function checkReturns({ documents }: World, wallet: Wallet, own: readonly Transaction[]): void {
  const voided = new Set(documents.invoices.filter(({ status }) => status === "voided").map(({ svc_id }) => svc_id));
  for (const use of own.filter((one) => one.transaction_status === "invoiced")) {
    const returns = own.filter(
      (one) => one.svc_voided_invoice_id === use.svc_invoice_id && one.transaction_type === "inbound",
    );
    const about = () => ({ wallet, use, returns });
    demand("creditsReturnedTwice", returns.length <= 1, about);
    if (!voided.has(use.svc_invoice_id ?? "")) demand("creditsReturnedForNothing", returns.length === 0, about);
    else if (returns.length > 0) demand("creditsReturned", sumOf(returns) === use.minor, about);
    else demand("creditsNotReturned", wallet.status === "terminated", about);
  }
}

/** In - out = held; of an ended wallet the rest was lost. */
function checkSum(wallet: Wallet, own: readonly Transaction[]): void {
  const settled = own.filter(({ status }) => status === "settled");
  const inbound = sumOf(settled.filter((one) => one.transaction_type === "inbound"));
  const outbound = sumOf(settled.filter((one) => one.transaction_type === "outbound"));
  const lost = inbound - outbound - wallet.balance_cents;
  demand("walletLost", wallet.status === "active" ? lost === 0 : lost >= 0, () => ({ wallet, own, lost }));
}
