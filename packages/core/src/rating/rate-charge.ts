/** The fees of one charge for one window: one per filter and group, and a true-up if a minimum was not reached. */
import type { Charge, Pricing } from "../catalog/index.ts";
import { type Currency, type Decimal, minor, roundToMinor, sumMinor, ZERO } from "../money/index.ts";
import { countDays } from "../time/index.ts";
import {
  type Bucket,
  type Group,
  groupKey,
  type PaidUnits,
  proratedUnits,
  type Quantity,
  quantityOf,
  type UsageWindow,
} from "../usage/index.ts";
import { type ChargeFee, chargeFee } from "./charge-fee.ts";
import { type AmountDerivation, amountFrom } from "./derivation.ts";
import { chargeMinimumTrueUp, type TrueUp } from "./minimum.ts";
import { type PricingDerivation, price } from "./models.ts";
import { priceBeyond, priceByDays } from "./part-of-period.ts";
import { looksAtEvents } from "./percentage-tally.ts";
import type { Priced } from "./price-model.ts";
import { type ProratedDerivation, priceProrated } from "./prorated.ts";

export type BucketFee = ChargeFee & {
  /** null: events that no filter takes. */
  readonly filterId: string | null;
  readonly group: Bucket["group"];
};

export type RatedCharge = { readonly fees: readonly BucketFee[]; readonly trueUp: TrueUp | null };

export type RatingContext = {
  readonly window: UsageWindow;
  readonly currency: Currency;
  /** What a plan change leaves of the charge; undefined: all of it. */
  readonly part?: RatedPart | undefined;
};

/** Only the days of the window, even if the charge does not weigh days; or only the units beyond those already paid. */
export type RatedPart =
  | { readonly type: "days" }
  | { readonly type: "beyond_paid"; readonly paid: readonly PaidUnits[] };

/** The part of a bucket that its price depends on. */
type UsedBucket = Pick<Bucket, "filter" | "group" | "quantity">;

/** Prices every bucket of a charge at its own price. Current usage shows these fees; an invoice keeps the billable ones. */
export function rateBuckets(charge: Charge, buckets: readonly UsedBucket[], context: RatingContext): BucketFee[] {
  return buckets.map(({ filter, group, quantity }) => {
    const priced = pricePart(charge, { filter, group, quantity }, context);
    return { filterId: filter?.id ?? null, group, ...chargeFee(priced, quantity, context.currency) };
  });
}

/** The fees a closing period bills for a charge in arrears. */
export function rateCharge(charge: Charge, buckets: readonly UsedBucket[], context: RatingContext): RatedCharge {
  const fees = rateBuckets(charge, buckets, context);
  const trueUp = trueUpOf(charge, fees, context);
  return { fees: fees.filter((fee) => isBillable(fee) || (trueUp !== null && fee.filterId === null)), trueUp };
}

/** A fee is put on an invoice if any of its figures is not zero. */
export const isBillable = ({ units, amountMinor, eventsCount }: ChargeFee): boolean =>
  amountMinor !== 0n || eventsCount !== 0n || !units.eq("0");

/** Whether prices of the charge use the value of single events, and not only their sum. */
export const looksAtValues = ({ price, filters, timing }: Charge): boolean =>
  [price, ...filters.map((filter) => filter.price)].some(
    ({ pricing }) => pricing.model === "percentage" && (timing.type === "in_advance" || looksAtEvents(pricing)),
  );

/** A weighted sum has already weighed the time of the window. */
function pricePart(
  charge: Charge,
  { filter, group, quantity }: UsedBucket,
  { window, part }: RatingContext,
): Priced<AmountDerivation> {
  const { pricing } = filter?.price ?? charge.price;
  const [days, { periodDays }] = [countDays(window.firstDay, window.lastDay), window];
  if (charge.isProrated || part?.type === "beyond_paid" || part === undefined) {
    const used = priceQuantity(charge, pricing, quantity, periodDays);
    if (part?.type !== "beyond_paid") return used;
    const units = part.paid.find(
      (paid) => paid.filterId === (filter?.id ?? null) && isSameGroup(paid.group, group),
    )?.units;
    return priceBeyond(used, priceQuantity(charge, pricing, wholeUnits(units ?? ZERO, days), periodDays));
  }
  const whole = price(pricing, quantity);
  if (charge.metric.aggregation.type === "weighted_sum") return whole;
  return priceByDays(pricing, whole, { units: quantity.units, days, periodDays });
}

const isSameGroup = (one: Group, other: Group): boolean => groupKey(one) === groupKey(other);

/** Units that are in use on all these days, as if one event had brought them. */
const wholeUnits = (units: Decimal, days: number): Quantity => {
  const values = units.eq(ZERO) ? [] : [units];
  return { ...quantityOf(units, values), changes: values.map((value) => ({ units: value, days })) };
};

function priceQuantity(
  charge: Charge,
  pricing: Pricing,
  quantity: Quantity,
  periodDays: number,
): Priced<PricingDerivation | ProratedDerivation> {
  if (!charge.isProrated) return price(pricing, quantity);
  if (pricing.model !== "standard" && pricing.model !== "volume" && pricing.model !== "graduated") {
    throw new Error(`A ${pricing.model} price is never prorated: the catalog refuses it.`);
  }
  return priceProrated(pricing, {
    fullUnits: quantity.units,
    proratedUnits: proratedUnits(quantity, { periodDays }),
    changes: quantity.changes,
    periodDays,
  });
}

/** Fees paid in advance for the same days count towards the minimum. */
function trueUpOf({ timing }: Charge, fees: readonly ChargeFee[], { window, currency }: RatingContext): TrueUp | null {
  if (timing.type !== "arrears") return null;
  const paidMinor = fees.map(({ derivation: { pricing } }) =>
    pricing.model === "beyond_paid" ? roundToMinor(amountFrom(pricing.paid), currency) : minor(0n),
  );
  return chargeMinimumTrueUp({
    minimumMinor: timing.minAmountMinor,
    days: countDays(window.firstDay, window.lastDay),
    periodDays: window.periodDays,
    usedMinor: sumMinor([...fees.map(({ amountMinor }) => amountMinor), ...paidMinor]),
  });
}
