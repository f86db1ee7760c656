/** The fees of one charge for one window: one per filter and group, and a true-up where a minimum was not reached. */
import type { Charge, Price } from "../catalog/index.ts";
import { type Currency, sumMinor } from "../money/index.ts";
import { countDays } from "../time/index.ts";
import { type Bucket, proratedUnits, type Quantity, type UsageWindow } from "../usage/index.ts";
import { type ChargeFee, chargeFee } from "./charge-fee.ts";
import type { AmountDerivation } from "./derivation.ts";
import { chargeMinimumTrueUp, type TrueUp } from "./minimum.ts";
import { price } from "./models.ts";
import { looksAtEvents } from "./percentage-tally.ts";
import type { Priced } from "./price-model.ts";
import { priceProrated } from "./prorated.ts";

export type BucketFee = ChargeFee & {
  /** null: events that no filter takes. */
  readonly filterId: string | null;
  readonly group: Bucket["group"];
};

export type RatedCharge = { readonly fees: readonly BucketFee[]; readonly trueUp: TrueUp | null };

export type RatingContext = { readonly window: UsageWindow; readonly currency: Currency };

/** Prices every bucket of a charge by its own price. Usage shows these fees; an invoice keeps those that are billable. */
export function rateBuckets(charge: Charge, buckets: readonly Bucket[], context: RatingContext): BucketFee[] {
  return buckets.map(({ filter, group, quantity }) => {
    const priced = priceQuantity(charge, filter?.price ?? charge.price, quantity, context.window);
    return { filterId: filter?.id ?? null, group, ...chargeFee(priced, quantity, context.currency) };
  });
}

/** The fees a closing period bills for a charge in arrears. */
export function rateCharge(charge: Charge, buckets: readonly Bucket[], context: RatingContext): RatedCharge {
  const fees = rateBuckets(charge, buckets, context);
  const trueUp = trueUpOf(charge, fees, context.window);
  return { fees: fees.filter((fee) => isBillable(fee) || (trueUp !== null && fee.filterId === null)), trueUp };
}

/** A fee is put on an invoice when anything about it is not zero. */
export const isBillable = ({ units, amountMinor, eventsCount }: ChargeFee): boolean =>
  amountMinor !== 0n || eventsCount !== 0n || !units.eq("0");

/** Whether prices of the charge look at the worth of single events, and not only at what they add up to. */
export const looksAtValues = ({ price, filters, timing }: Charge): boolean =>
  [price, ...filters.map((filter) => filter.price)].some(
    ({ pricing }) => pricing.model === "percentage" && (timing.type === "in_advance" || looksAtEvents(pricing)),
  );

function priceQuantity(
  charge: Charge,
  { pricing }: Price,
  quantity: Quantity,
  window: UsageWindow,
): Priced<AmountDerivation> {
  if (!charge.isProrated) return price(pricing, quantity);
  if (pricing.model !== "standard" && pricing.model !== "volume" && pricing.model !== "graduated") {
    throw new Error(`A ${pricing.model} price is never prorated: the catalogue refuses it.`);
  }
  return priceProrated(pricing, {
    fullUnits: quantity.units,
    proratedUnits: proratedUnits(quantity, window),
    changes: quantity.changes,
    periodDays: window.periodDays,
  });
}

function trueUpOf({ timing }: Charge, fees: readonly ChargeFee[], window: UsageWindow): TrueUp | null {
  if (timing.type !== "arrears") return null;
  return chargeMinimumTrueUp({
    minimumMinor: timing.minAmountMinor,
    days: countDays(window.firstDay, window.lastDay),
    periodDays: window.periodDays,
    usedMinor: sumMinor(fees.map(({ amountMinor }) => amountMinor)),
  });
}
