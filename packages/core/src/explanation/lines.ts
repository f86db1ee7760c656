/**
 * The lines of a usage fee: the contributions of its events, and by name everything that no single event caused. Together they are the fee.
 */
import { currency, type Fraction, inMajorUnits, minor, NOTHING, readExact } from "../money/index.ts";
import { amountFrom, type FeeDerivation } from "../rating/index.ts";
import { unitsFrom } from "../usage/index.ts";
import type { AllContributions } from "./all-events.ts";
import { type Attribution, attributionOf, finalTierOf } from "./attribution.ts";
import { type ExplainedFee, isTallied, isWeighedByDays, needsAllEvents, wholePricing } from "./explained-fee.ts";
import { createWalker } from "./walk.ts";

export const LINE_NAMES = [
  "carried_over",
  "events",
  "flat_amount",
  "units_rounding",
  "other_days",
  "not_below_zero",
  "amount",
  "required",
  "already_billed",
  "rounding",
] as const;

export type LineName = (typeof LINE_NAMES)[number];

/** In major units, exact. */
export type FeeLine = { readonly name: LineName; readonly amount: Fraction };

/** `all` is required if `needsAllEvents` says so. For other fees the derivation has every line, however many events there are. */
export function usageLines(fee: ExplainedFee, all: AllContributions | null): readonly FeeLine[] {
  const { derivation } = fee;
  const exact = readExact(derivation.fee.exact);
  const { carried, events } = sharedOut(fee, all);
  const shared = carried.plus(events);
  const flat = flatOf(fee);
  const unitsRounding = unitsRoundingOf(fee, shared);
  const part = partOf(fee, shared);
  const rest = part.reduce(
    (sum, { amount }) => sum.minus(amount),
    exact.minus(shared).minus(flat).minus(unitsRounding),
  );
  return [
    ...named("carried_over", carried),
    { name: "events", amount: events },
    ...named("flat_amount", flat),
    ...named("units_rounding", unitsRounding),
    ...part,
    ...named("not_below_zero", rest),
    ...roundingOf(derivation.fee),
  ];
}

const named = (name: LineName, amount: Fraction): FeeLine[] => (amount.isZero() ? [] : [{ name, amount }]);

/** What a plan change takes off: days that another charge bills, and what was paid in advance. */
function partOf(fee: ExplainedFee, shared: Fraction): FeeLine[] {
  const { pricing, exact } = fee.derivation.fee;
  if (pricing.model === "beyond_paid") return named("already_billed", amountFrom(pricing.paid).times(-1n));
  const isOfDays = pricing.model === "prorated_units" && !isWeighedByDays(fee);
  if (isOfDays) return named("other_days", readExact(exact).minus(shared));
  return pricing.model === "by_days" ? named("other_days", readExact(exact).minus(amountFrom(pricing.whole))) : [];
}

/** What rounding to whole minor units adds to the exact amount. */
export function roundingOf({ exact, amountMinor, currency: code }: FeeDerivation): FeeLine[] {
  const amount = inMajorUnits(minor(BigInt(amountMinor)), currency(code));
  return named("rounding", amount.minus(readExact(exact)));
}

function sharedOut(
  fee: ExplainedFee,
  all: AllContributions | null,
): { readonly carried: Fraction; readonly events: Fraction } {
  if (all !== null) {
    const events = all.events.reduce((sum, { contribution }) => sum.plus(contribution.amount), NOTHING);
    return { carried: all.carried, events };
  }
  if (needsAllEvents(fee)) throw new Error("The lines of this fee need all of its events.");
  const carried = readExact(createWalker(fee).start.amount);
  if (isTallied(fee)) return { carried, events: amountFrom(wholePricing(fee.derivation.fee.pricing)).minus(carried) };
  return { carried, events: attributionOf(fee)(exactTotal(fee)).minus(carried) };
}

const totalOf = ({ derivation }: ExplainedFee, units: Fraction) => ({
  units,
  events: BigInt(derivation.quantity.eventsCounted),
});

/** The units before rounding. */
function exactTotal(fee: ExplainedFee) {
  const { basis } = fee.derivation.quantity;
  if (basis.type === "weighted_sum")
    return totalOf(fee, readExact(basis.unitSeconds).over(BigInt(basis.periodSeconds)));
  const units = readExact(unitsFrom({ basis }).toFixed());
  // A maximum rises from 0.
  return totalOf(fee, basis.type === "max" && units.isBelow(0n) ? NOTHING : units);
}

/** Flat amounts of the whole. If tiers are entered in order, the events that enter them bear the flat amounts. */
function flatOf(fee: ExplainedFee): Fraction {
  const pricing = wholePricing(fee.derivation.fee.pricing);
  return pricing.model === "prorated_units" ? readExact(pricing.flat) : finalTierOf(fee).flat;
}

/** Weighted units are rounded up at 20 decimals, prorated ones at 5. */
function unitsRoundingOf(fee: ExplainedFee, shared: Fraction): Fraction {
  const { derivation, aggregation } = fee;
  const pricing = wholePricing(derivation.fee.pricing);
  if (isWeighedByDays(fee) && pricing.model === "prorated_units") {
    // A total below zero was not rounded up for billing.
    const rounded = readExact(pricing.proratedUnits).times(readExact(pricing.perUnit)).minus(shared);
    return shared.isBelow(0n) ? NOTHING : rounded;
  }
  if (aggregation.type !== "weighted_sum" || isTallied(fee)) return NOTHING;
  const attribution: Attribution = attributionOf(fee);
  const rounded = attribution(totalOf(fee, readExact(unitsFrom(derivation.quantity).toFixed())));
  return rounded.minus(attribution(exactTotal(fee)));
}
