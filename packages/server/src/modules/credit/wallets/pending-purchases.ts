/** Purchased credits that are not yet paid. */
import { withheldOf } from "@tallystick/core/invoicing";
import { type Minor, minor } from "@tallystick/core/money";
import type { Tx } from "../../../platform/postgres/database.ts";
import { findUnpaidPurchases } from "./store.ts";

/** Credits of pending payments, by wallet. A failed payment counts nothing until it is paid after all. */
export async function pendingByWallet(
  tx: Tx,
  organizationId: string,
  walletIds: readonly string[],
): Promise<(walletId: string) => Minor> {
  const sums = new Map<string, bigint>();
  for (const purchase of await findUnpaidPurchases(tx, organizationId, walletIds)) {
    if (purchase.payment_status !== "pending") continue;
    const comingMinor = withheldOf({
      withheldMinor: minor(purchase.withheld_amount_cents),
      writtenOffMinor: minor(purchase.written_off_amount_cents),
    });
    sums.set(purchase.wallet_id, (sums.get(purchase.wallet_id) ?? 0n) + comingMinor);
  }
  return (walletId) => minor(sums.get(walletId) ?? 0n);
}
