/** A fee of usage with all that it was computed from: what its events contributed follows from it. */
import { type Aggregation, isRecurring, type Pricing } from "../catalog/index.ts";
import type { UsageFeeDerivation } from "../invoicing/index.ts";
import { type FeeDerivation, looksAtEvents } from "../rating/index.ts";
import type { UsageDerivation, UsageWindow } from "../usage/index.ts";

export type ExplainedFee = {
  readonly aggregation: Aggregation;
  readonly pricing: Pricing;
  /** Of the charge; what is renewed is never weighed by days. */
  readonly isProrated: boolean;
  readonly derivation: UsageFeeDerivation;
};

/** The window that the events were read over, from the text in which a derivation keeps it. */
export function windowFrom(text: UsageDerivation["window"]): UsageWindow {
  return {
    from: Temporal.Instant.from(text.from),
    to: Temporal.Instant.from(text.to),
    timeZone: text.timeZone,
    firstDay: Temporal.PlainDate.from(text.firstDay),
    lastDay: Temporal.PlainDate.from(text.lastDay),
    periodDays: text.periodDays,
  };
}

export const isWeighedByDays = ({ isProrated, derivation }: ExplainedFee): boolean =>
  isProrated && derivation.type === "usage";

/** Whether the price looked at single events, so that what one of them contributes depends on the worth of those before it. */
export const isTallied = ({ pricing, derivation }: ExplainedFee): boolean =>
  derivation.type === "usage" && pricing.model === "percentage" && looksAtEvents(pricing);

/**
 * Whether what an event contributed can only be told with all events of the fee at hand: when its units went away again, or how
 * many events history holds. Of all other fees a small state says enough.
 */
export function needsAllEvents(fee: ExplainedFee): boolean {
  const { aggregation, pricing, derivation } = fee;
  if (isWeighedByDays(fee)) return true;
  // Of a unique count its value is its number of events.
  if (aggregation.type === "unique_count") return false;
  return isRecurring(aggregation) && pricing.model === "percentage" && derivation.type === "usage";
}

/** How the price came about before a change of plan left only a part of it. */
export function wholePricing(pricing: FeeDerivation["pricing"]): FeeDerivation["pricing"] {
  if (pricing.model === "by_days") return pricing.whole;
  return pricing.model === "beyond_paid" ? pricing.used : pricing;
}
