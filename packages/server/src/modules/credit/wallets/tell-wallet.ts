/** Publishes what happens to a wallet. Messages use real time, also for a customer on a test clock. */
import { publish } from "../../../jobs/outbox.ts";
import type { Batch } from "../../../platform/postgres/batch.ts";
import { describeWallet } from "./describe-wallets.ts";
import type { WalletRow } from "./row.ts";
import type { Scope } from "./scope.ts";

type WalletMessage = "wallet.created" | "wallet.updated" | "wallet.terminated" | "wallet.depleted_ongoing_balance";

export async function tellWallet(
  batch: Batch,
  { organizationId, clock }: Pick<Scope, "organizationId" | "clock">,
  wallet: WalletRow,
  webhookType: WalletMessage,
): Promise<void> {
  const object = await describeWallet(batch, organizationId, wallet, clock);
  const once = webhookType === "wallet.created" || webhookType === "wallet.terminated";
  const change = { webhookType, objectType: "wallet", objectId: wallet.id, object, once };
  await publish(batch, organizationId, change, clock.now());
}
