/**
 * Totals the events of a charge before the first billed event of a period, or before the first event of a new plan version. This happens
 * once, while no customer is locked; the totals are stored.
 */
import { createHash } from "node:crypto";
import type { OpenTally } from "@tallystick/core/rating";
import type { UsageWindow } from "@tallystick/core/usage";
import type { Tx } from "../../../platform/postgres/database.ts";
import type { Cut, EventStore } from "../../usage/index.ts";
import { type Ended, loadTallies } from "./load-tally.ts";
import type { EventBilling } from "./look-up.ts";
import { findBilledSince, putTally, replaceValues } from "./store.ts";

/** The period and plan version, and the tallies by charge. */
export type Opening = { basis: string; tallies: ReadonlyMap<string, readonly OpenTally[]> };

export const NOTHING_OPENED: Opening = { basis: "", tallies: new Map() };

/** `cut`: everything processed before the event. `leftOut`: parked events in it, which create no fee, or not yet. */
export async function readOpening(
  { tx, events }: { tx: Tx; events: EventStore },
  organizationId: string,
  billing: EventBilling,
  { cut, leftOut }: { cut: Cut; leftOut: ReadonlySet<bigint> },
): Promise<Opening> {
  const { subscription, priceList, unopened } = billing;
  const { externalId: externalSubscriptionId, firstStartedAt: historyFrom, acceptedBefore } = subscription;
  const tallies = new Map<string, readonly OpenTally[]>();
  for (const charge of unopened) {
    const { window, ended } = await readLife(tx, organizationId, { subscription, chargeId: charge.id });
    const scope = { externalSubscriptionId, window, historyFrom, cut };
    const requested = { charge, currency: priceList.plan.currency, scope, leftOut, ended, acceptedBefore };
    tallies.set(charge.id, await loadTallies(events, organizationId, requested));
  }
  return { basis: basisOf(billing), tallies };
}

type OfCharge = Pick<EventBilling, "subscription"> & { chargeId: string };

/**
 * For a late event of an ended subscription: later events with its external id belong to another subscription, except those that were billed
 * before the end was known.
 */
async function readLife(
  tx: Tx,
  organizationId: string,
  { subscription: { id: subscriptionId, window, endedAt }, chargeId }: OfCharge,
): Promise<{ window: UsageWindow; ended: Ended | null }> {
  if (endedAt === null || Temporal.Instant.compare(endedAt, window.to) >= 0) return { window, ended: null };
  const billed = await findBilledSince(tx, organizationId, {
    ...{ subscriptionId, chargeId },
    from: window.from,
    since: endedAt,
  });
  return billed.size > 0
    ? { window, ended: { at: endedAt, billed } }
    : { window: { ...window, to: endedAt }, ended: null };
}

/** False if the basis differs from what was read. */
export async function saveOpening(
  tx: Tx,
  organizationId: string,
  billing: EventBilling,
  opening: Opening,
): Promise<boolean> {
  const { subscription, priceList, unopened } = billing;
  if (unopened.length === 0) return true;
  if (basisOf(billing) !== opening.basis || !unopened.every(({ id }) => opening.tallies.has(id))) return false;
  for (const { id: chargeId, metric } of unopened) {
    for (const { filter, group, tally, active } of opening.tallies.get(chargeId) ?? []) {
      const of = { subscriptionId: subscription.id, chargeId, from: subscription.window.from };
      const key = { ...of, filterId: filter?.id ?? null, group, planVersion: priceList.version };
      const { id: tallyId } = await putTally(tx, organizationId, key, tally);
      if (metric.aggregation.type !== "unique_count") continue;
      await replaceValues(tx, organizationId, { tallyId, digests: [...active].map(digestOf) });
    }
  }
  return true;
}

const basisOf = ({ subscription, priceList }: EventBilling): string =>
  `${subscription.id} ${subscription.window.from} ${subscription.window.to} ${priceList.planId} ${priceList.version}`;

export const digestOf = (value: string): Buffer => createHash("sha256").update(value).digest();
