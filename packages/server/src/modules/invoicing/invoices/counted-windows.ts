/** Counts the events of each metric on an invoice. The status of events starts from these counts. */
import assert from "node:assert/strict";
import { isRecurring } from "@tallystick/core/catalog";
import type { PriceList } from "../../catalogue/index.ts";
import type { MeasuredUsage } from "../../usage/index.ts";
import type { CountedWindow } from "../event-statuses/index.ts";
import type { LoadedBill } from "./load-billing.ts";
import type { Measured } from "./measure-bills.ts";

export const countedWindowsOf = (bills: readonly LoadedBill[], { cut, usage }: Measured): CountedWindow[] =>
  bills.flatMap((loaded) => {
    const { inArrears = [], renewed = [] } = usage.get(loaded.billId) ?? {};
    // Charges on one metric, renewed or not, count the same events.
    const byMetric = Map.groupBy([...inArrears, ...renewed], ({ charge }) => charge.metric.code);
    return [...byMetric.values()].flatMap(([used]) => (used ? [toWindow(loaded, used, cut)] : []));
  });

function toWindow(
  { billId, externalId, firstStartedAt, ...prices }: LoadedBill,
  { charge, window, buckets, eventsSeen }: MeasuredUsage[number],
  cut: Measured["cut"],
): CountedWindow {
  const hasCharge = ({ plan }: PriceList) => plan.charges.some(({ id }) => id === charge.id);
  const priceList = [prices.priceList, prices.opening].find(hasCharge);
  const stored = priceList?.plan.charges.find(({ id }) => id === charge.id);
  assert(priceList && stored, "what was measured is a charge of the plan");
  const { code, ...metric } = charge.metric;
  const eventsCounted = buckets.reduce((sum, { quantity }) => sum + quantity.eventsFolded, 0n);
  return {
    billId,
    metricId: stored.metricId,
    externalSubscriptionId: externalId,
    code,
    from: isRecurring(metric.aggregation) ? firstStartedAt : window.from,
    to: window.to,
    cut,
    planId: priceList.planId,
    planVersion: priceList.version,
    metric,
    eventsCounted,
    eventsIgnored: eventsSeen - eventsCounted,
  };
}
