/** The balances that wallets would have if the usage of the open periods were billed now. */
import { type Decimal, leastMinor, type Minor, minor } from "../money/index.ts";
import { type Wallet, walletsInOrder } from "./balances.ts";
import { creditsOf } from "./credits.ts";

export type OngoingBalance = {
  readonly walletId: string;
  /** The part of the usage that this wallet bears. */
  readonly usageMinor: Minor;
  readonly usageCredits: Decimal;
  /** May be below zero. */
  readonly balanceMinor: Minor;
  readonly balanceCredits: Decimal;
};

/**
 * Spreads the usage of a customer, taxes included, over the wallets in order of use. Each bears what it can pay, and the last one bears the
 * rest. 100.00 with 36.00 of usage are 64.00.
 */
export function ongoingBalances(
  wallets: readonly Wallet[],
  usageMinor: Minor,
  at: Temporal.Instant,
): readonly OngoingBalance[] {
  const inOrder = walletsInOrder(wallets, at);
  let rest = usageMinor;
  return inOrder.map((wallet, index) => {
    const isLast = index === inOrder.length - 1;
    const usage = isLast ? rest : leastMinor(wallet.balanceMinor, rest);
    rest = minor(rest - usage);
    const balanceMinor = minor(wallet.balanceMinor - usage);
    return {
      walletId: wallet.id,
      usageMinor: usage,
      usageCredits: creditsOf(usage, wallet),
      balanceMinor,
      balanceCredits: creditsOf(balanceMinor, wallet),
    };
  });
}

/** A wallet is depleted at 0 and below. Users are notified when it becomes depleted, and again only after its balance was above 0. */
export function depletion(wasDepleted: boolean, ongoingBalanceMinor: Minor): { isDepleted: boolean; isNews: boolean } {
  const isDepleted = ongoingBalanceMinor <= 0n;
  return { isDepleted, isNews: isDepleted && !wasDepleted };
}
