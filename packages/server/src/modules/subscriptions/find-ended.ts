/** Ended subscriptions, for the code that settles what was paid for them. */
import type { Terminated } from "@tallystick/core/subscription";
import type { Batch } from "../../platform/postgres/batch.ts";
import { findSubscription } from "./find-subscription.ts";
import { toCore } from "./row.ts";

/** Returns undefined if it has not ended. */
export async function findEndedSubscription(
  batch: Batch,
  organizationId: string,
  id: string,
): Promise<Terminated | undefined> {
  const stored = await findSubscription(batch, organizationId, id);
  const subscription = stored && toCore(stored);
  return subscription?.status === "terminated" ? subscription : undefined;
}
