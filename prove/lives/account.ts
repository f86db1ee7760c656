/** The account of value at the end of a life: worked out from what was done and from dates, and compared with all documents. */
import { checkCommitments } from "./account-commitments.ts";
import { checkSubscriptionFees } from "./account-fees.ts";
import { checkUsage } from "./account-usage.ts";
import { checkWalletAccounts } from "./account-wallets.ts";
import { demand } from "./demand.ts";
import { heldOnes } from "./held.ts";
import type { World } from "./world.ts";

export async function checkAccount(world: World): Promise<void> {
  checkSubscriptionFees(world);
  await checkUsage(world);
  checkCommitments(world, heldOnes(world));
  checkWalletAccounts(world);
  await checkParked(world);
}

/** Nothing in a life is beyond a limit, so nothing waits for an operator but the refund of a fee that was paid. */
async function checkParked({ session }: World): Promise<void> {
  const { status, body } = await session.request("GET", "/parked_items?per_page=100");
  if (status === 404) return;
  const items = (body.parked_items ?? []) as { kind: string }[];
  demand(
    "parked",
    items.every(({ kind }) => kind === "fee_refund"),
    () => items,
  );
}
