/** The account of value at the end of a life: worked out from what was done and from dates, and compared with all documents. */
import { checkSubscriptionFees } from "./account-fees.ts";
import { checkUsage } from "./account-usage.ts";
import type { World } from "./world.ts";

export async function checkAccount(world: World): Promise<void> {
  checkSubscriptionFees(world);
  await checkUsage(world);
}
