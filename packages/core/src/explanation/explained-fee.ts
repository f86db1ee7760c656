/** A usage fee with all of its inputs, from which the contributions of its events follow. */
import { type Aggregation, isRecurring, type Pricing } from "../catalog/index.ts";
import type { UsageFeeDerivation } from "../invoicing/index.ts";
import { type FeeDerivation, looksAtEvents } from "../rating/index.ts";
import type { UsageDerivation, UsageWindow } from "../usage/index.ts";

export type ExplainedFee = {
  readonly aggregation: Aggregation;
  readonly pricing: Pricing;
  /** Whether the charge is prorated. Renewals are never weighed by days. */
  readonly isProrated: boolean;
  readonly derivation: UsageFeeDerivation;
};

/** The window of the events, parsed from the text in a derivation. */
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

/** Whether the price uses single events, so that the contribution of an event depends on the values before it. */
export const isTallied = ({ pricing, derivation }: ExplainedFee): boolean =>
  derivation.type === "usage" && pricing.model === "percentage" && looksAtEvents(pricing);

/**
 * Whether contributions need all events of the fee at once: when units were removed again, or how many events the history has. For all
 * other fees a small state is enough.
 */
export function needsAllEvents(fee: ExplainedFee): boolean {
  const { aggregation, pricing, derivation } = fee;
  if (isWeighedByDays(fee)) return true;
  // For a unique count, the number of events is its value.
  if (aggregation.type === "unique_count") return false;
  return isRecurring(aggregation) && pricing.model === "percentage" && derivation.type === "usage";
}

/** The derivation of the price before a plan change reduced it to a part. */
export function wholePricing(pricing: FeeDerivation["pricing"]): FeeDerivation["pricing"] {
  if (pricing.model === "by_days") return pricing.whole;
  return pricing.model === "beyond_paid" ? pricing.used : pricing;
}
