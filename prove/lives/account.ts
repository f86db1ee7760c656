/** The account of value at the end of a life: worked out from what was done and from dates, and compared with all documents. */
import { checkCommitments } from "./account-commitments.ts";
import { checkSubscriptionFees } from "./account-fees.ts";
import { checkUsage } from "./account-usage.ts";
import { checkWalletAccounts } from "./account-wallets.ts";
import { heldOnes } from "./held.ts";
import { checkParked, readParked } from "./parked.ts";
import type { World } from "./world.ts";

export async function checkAccount(world: World): Promise<void> {
  const parked = await readParked(world.session);
  checkSubscriptionFees(world);
  await checkUsage(world, parked);
  checkCommitments(world, heldOnes(world));
  checkWalletAccounts(world);
  checkParked(world, parked);
}
