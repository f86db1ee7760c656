/** A customer's usage in the current period, and its price. */
import type { Charge } from "@tallystick/core/catalog";
import { pricesSoFar, type UsageTotals, usageInArrears, usageTotals } from "@tallystick/core/invoicing";
import {
  type BucketFee,
  type ChargeUsage,
  chargeUsage,
  dependsOnAcceptance,
  rateInAdvance,
} from "@tallystick/core/rating";
import { ALONE } from "../../platform/postgres/batch.ts";
import type { StoredCharge } from "../catalogue/index.ts";
import type { EventStore } from "./event-store.ts";
import { metricOf, type Subscribed, scopeOf, takeScope, toCustomerTaxes, toFeeItem } from "./load-subscribed.ts";
import { readRequested } from "./read-requested.ts";

export type CurrentUsage = UsageTotals & {
  charges: readonly { charge: StoredCharge; usage: ChargeUsage }[];
};

export async function computeCurrentUsage(
  events: EventStore,
  subscribed: Subscribed,
  { isTaxed }: { isTaxed: boolean },
): Promise<CurrentUsage> {
  const charges = byMetricName(subscribed);
  const fees = await rateCharges(events, subscribed, charges);
  const priced = charges.map((charge, index) => ({ charge, fees: fees[index] ?? [] }));
  const taxable = priced.flatMap(({ charge, fees }) => {
    const item = toFeeItem(subscribed, charge);
    return fees.map(({ amountMinor }) => ({ amountMinor, item }));
  });
  return {
    ...usageTotals(taxable, isTaxed ? toCustomerTaxes(subscribed) : null),
    charges: priced.map(({ charge, fees }) => ({ charge, usage: chargeUsage(charge, fees) })),
  };
}

/** Charges in arrears, with taxes: charges in advance are billed already. */
export function computeUsageInArrears(events: EventStore, subscribed: Subscribed): Promise<CurrentUsage> {
  const { priceList } = subscribed;
  const charges = priceList.plan.charges.filter(({ timing }) => timing.type !== "in_advance");
  const inArrears = { ...subscribed, priceList: { ...priceList, plan: { ...priceList.plan, charges } } };
  return computeCurrentUsage(events, inArrears, { isTaxed: true });
}

/** The fees of every charge, in a number of queries that depends neither on the charges nor on the events. */
async function rateCharges(
  events: EventStore,
  subscribed: Subscribed,
  charges: readonly StoredCharge[],
): Promise<BucketFee[][]> {
  const { organizationId, window, parts, priceList } = subscribed;
  const { currency } = priceList.plan;
  const requested = charges.map((charge) => usageInArrears(charge, window, parts[charge.id]));
  const inAdvance = charges.filter(({ timing }) => timing.type === "in_advance");
  const readsTwice = inAdvance.length > 0 || Object.keys(parts).length > 0;
  const scope = readsTwice ? await takeScope(events, subscribed) : scopeOf(subscribed);
  const used = await readRequested({ events, barrier: ALONE }, organizationId, scope, requested);
  const lowered = inAdvance.length > 0 ? await events.wasLowered(organizationId, scope, inAdvance) : [];
  const replayed: readonly Charge[] = inAdvance.filter((charge, index) =>
    dependsOnAcceptance(charge, { wasLowered: lowered[index] === true }),
  );
  const accepted = replayed.length > 0 ? await events.readAccepted(ALONE, organizationId, scope, replayed) : [];
  return requested.map((query, index) => {
    const { charge } = query;
    const read = used[index] ?? { charge, buckets: [] };
    const order = replayed.indexOf(charge);
    return order < 0
      ? pricesSoFar(query, { part: parts[charge.id], currency }, read)
      : rateInAdvance(charge, read.buckets, accepted[order] ?? [], { window, currency });
  });
}

/** Charges on one metric stay in the order of the plan. */
function byMetricName(subscribed: Subscribed): StoredCharge[] {
  return subscribed.priceList.plan.charges.toSorted((one, other) => {
    const names = [metricOf(subscribed, one).name, metricOf(subscribed, other).name] as const;
    return Number(names[0] > names[1]) - Number(names[0] < names[1]);
  });
}
