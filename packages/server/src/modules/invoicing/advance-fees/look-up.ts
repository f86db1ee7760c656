/** Finds the subscription of an event, and the charges in advance on its metric. */
import { isCounted, type UsageEvent } from "@tallystick/core/usage";
import { alone } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { findVersionMadeBy, loadVersion, type PriceList, type StoredCharge } from "../../catalogue/index.ts";
import { type CoveringSubscription, findCovering } from "../../subscriptions/index.ts";
import { toOrder } from "../../usage/index.ts";
import { type EventRow, isOpened } from "./store.ts";

export type EventBilling = {
  event: EventRow;
  usage: UsageEvent;
  subscription: CoveringSubscription;
  priceList: PriceList;
  charges: readonly StoredCharge[];
  /** Charges whose earlier events have to be read first. */
  unopened: readonly StoredCharge[];
};

/** The prices of a plan for events accepted at a real instant. */
export type PriceListOf = (planId: string, acceptedAt: Temporal.Instant) => Promise<PriceList>;

/** Reads each version once. */
export function priceListsAt(tx: Tx, organizationId: string): PriceListOf {
  const known = new Map<string, PriceList>();
  const load = async (planId: string, version: number | null): Promise<PriceList> => {
    const name = `${planId} ${version ?? "newest"}`;
    const priceList = known.get(name) ?? (await loadVersion(alone(tx), organizationId, { planId, version }));
    known.set(name, priceList);
    return priceList;
  };
  return async (planId, acceptedAt) => {
    const newest = await load(planId, null);
    if (Temporal.Instant.compare(newest.madeAt, acceptedAt) <= 0) return newest;
    const then = await findVersionMadeBy(tx, organizationId, { planId, by: acceptedAt });
    return then ? load(then.planId, then.version) : newest;
  };
}

/** undefined: the event creates no fee. */
export async function lookUp(
  tx: Tx,
  organizationId: string,
  event: EventRow,
  priceListOf: PriceListOf,
): Promise<EventBilling | undefined> {
  const moment = { externalId: event.external_subscription_id, at: event.timestamp };
  const subscription = await findCovering(tx, organizationId, moment);
  if (!subscription) return undefined;
  const priceList = await priceListOf(subscription.planId, event.received_at);
  const usage = toUsageEvent(event);
  const charges = priceList.plan.charges.filter(
    ({ timing, metric }) =>
      timing.type === "in_advance" && metric.code === event.code && isCounted(metric.aggregation, usage),
  );
  if (charges.length === 0) return undefined;
  const unopened: StoredCharge[] = [];
  for (const charge of charges) {
    const period = { subscriptionId: subscription.id, chargeId: charge.id, from: subscription.window.from };
    const planVersion = priceList.version;
    if (!(await isOpened(tx, organizationId, { ...period, planVersion }))) unopened.push(charge);
  }
  return { event, usage, subscription, priceList, charges, unopened };
}

const toUsageEvent = ({ timestamp, received_at, shard, position, texts }: EventRow): UsageEvent => ({
  at: timestamp,
  position: toOrder({ receivedAt: received_at, shard, position }),
  properties: Object.fromEntries(
    Object.entries(texts ?? {}).filter((entry): entry is [string, string] => entry[1] !== null),
  ),
});
