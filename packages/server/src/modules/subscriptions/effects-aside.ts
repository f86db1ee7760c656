/**
 * The effects of a step in the life of a subscription. An effect that fails is parked: the subscription continues, its later periods are
 * billed, and an operator retries the effect.
 */
import assert from "node:assert/strict";
import type { SetAside } from "../../jobs/parking.ts";
import { alone } from "../../platform/postgres/batch.ts";
import type { Tx } from "../../platform/postgres/database.ts";
import { findCustomersById } from "../customers/index.ts";
import { findSubscription } from "./find-subscription.ts";
import { type ReturnedText, toCore, toReturned } from "./row.ts";
import type { LifeDeps, WrittenBill } from "./scope.ts";

/** For a bill: its invoice. For an end: the credit for what was paid and not used. */
export const BILL_PART = "bill";
export const END_PART = "subscription_end";

type Effects = Pick<LifeDeps, "clock" | "onBilled" | "onEnded">;

export const effectsAside = ({ clock, onBilled, onEnded }: Effects, setAside: SetAside): Effects => ({
  clock,
  onBilled: (batch, organizationId, bill, registry) =>
    setAside({ source: BILL_PART, itemId: bill.id, work: { bill } }, () =>
      onBilled(batch, organizationId, bill, registry),
    ),
  onEnded: (batch, end, registry) =>
    setAside({ source: END_PART, itemId: end.subscriptionId, work: { returned: end.returned } }, () =>
      onEnded(batch, end, registry),
    ),
});

/** A bill as parsed from JSON. */
type KeptBill = Omit<WrittenBill, "occurredAt" | "readyAt"> & { occurredAt: string; readyAt: string };

/** The caller has locked the customer. */
export async function retryBill(
  tx: Tx,
  { onBilled, registry }: Pick<LifeDeps, "onBilled" | "registry">,
  { organizationId, work }: { organizationId: string; work: unknown },
): Promise<void> {
  const { bill } = work as { bill: KeptBill };
  const [occurredAt, readyAt] = [Temporal.Instant.from(bill.occurredAt), Temporal.Instant.from(bill.readyAt)];
  await onBilled(alone(tx), organizationId, { ...bill, occurredAt, readyAt }, registry);
}

/** The caller has locked the customer. */
export async function retryEnd(
  tx: Tx,
  { onEnded, registry }: Pick<LifeDeps, "onEnded" | "registry">,
  { organizationId, subscriptionId, work }: { organizationId: string; subscriptionId: string; work: unknown },
): Promise<void> {
  const stored = await findSubscription(alone(tx), organizationId, subscriptionId);
  const ended = stored && toCore(stored);
  assert(stored && ended?.status === "terminated", "an ended subscription stays ended");
  const [owner] = await findCustomersById(alone(tx), organizationId, [stored.row.customer_id]);
  assert(owner, "a subscription has a customer");
  const customer = { id: owner.id, testClockId: owner.test_clock_id };
  const { returned } = work as { returned: readonly ReturnedText[] };
  const end = { organizationId, subscriptionId, customer, ended, returned: toReturned(returned) };
  await onEnded(alone(tx), end, registry);
}
