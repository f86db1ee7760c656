/** A charge billed event by event: the fee of the next event, and what all of them have come to. */
import type { Charge, ChargeFilter, Pricing } from "../catalog/index.ts";
import { type Currency, type Decimal, decimal, ZERO } from "../money/index.ts";
import {
  daysLeft,
  type InAdvanceAggregation,
  type InAdvanceReplay,
  type InAdvanceState,
  type Quantity,
  startInAdvance,
  stepInAdvance,
  type UsageEvent,
  type UsageWindow,
} from "../usage/index.ts";
import { type ChargeFee, chargeFee } from "./charge-fee.ts";
import type { AmountDerivation } from "./derivation.ts";
import {
  type ChargedSoFar,
  chargedAtStart,
  chargeMore,
  priceNext,
  priceNextProrated,
  priceSoFar,
  weighedUnits,
} from "./in-advance.ts";
import { priceByDays } from "./part-of-period.ts";
import type { Priced } from "./price-model.ts";
import { priceUnits } from "./prorated.ts";
import type { RatingContext } from "./rate-charge.ts";

/** By what the events of one filter and group are billed in a period. */
export type InAdvanceTerms = {
  readonly aggregation: InAdvanceAggregation;
  readonly pricing: Pricing;
  readonly isProrated: boolean;
  readonly window: UsageWindow;
  readonly currency: Currency;
};

/** What is known of them. Plain data: a row holds it between two events. */
export type InAdvanceTally = { readonly usage: InAdvanceState; readonly soFar: ChargedSoFar };

export type InAdvanceFee = {
  readonly fee: ChargeFee;
  readonly tally: InAdvanceTally;
  /** Of a unique count: whether the event's value is in use from now on. */
  readonly isActive: boolean;
};

export function inAdvanceTerms(
  { metric: { aggregation }, price, isProrated }: Charge,
  filter: ChargeFilter | null,
  { window, currency }: RatingContext,
): InAdvanceTerms {
  if (aggregation.type !== "count" && aggregation.type !== "sum" && aggregation.type !== "unique_count") {
    throw new Error(`A ${aggregation.type} is never billed in advance: the catalog refuses it.`);
  }
  return { aggregation, pricing: (filter?.price ?? price).pricing, isProrated, window, currency };
}

/** The tally of events gone through again. */
export function tallyOf(terms: InAdvanceTerms, { carried, state, charges }: InAdvanceReplay): InAdvanceTally {
  const charged = charges.map(({ event, units }) => pricedUnits(terms, event, units));
  return { usage: state, soFar: chargeMore(terms.pricing, chargedAtStart(terms.pricing, carried), charged) };
}

/**
 * The same from what the events of a metered metric add up to, where their order does not matter: of a count, and of a sum that
 * was never lowered and whose price looks at the total.
 */
export function tallyOfTotal({ pricing }: InAdvanceTerms, { units, values, eventsFolded }: Quantity): InAdvanceTally {
  const charged = pricing.model === "percentage" ? values : [units];
  return {
    usage: { ...startInAdvance(units), events: String(eventsFolded) },
    soFar: chargeMore(pricing, chargedAtStart(pricing, ZERO), charged),
  };
}

/**
 * The fee of one event, rounded once. `wasActive` says of a unique count whether its value is in use before it. null: the
 * event lacks what the metric counts and makes no fee.
 */
export function billNext(
  terms: InAdvanceTerms,
  { usage, soFar }: InAdvanceTally,
  event: UsageEvent,
  wasActive: boolean,
): InAdvanceFee | null {
  const step = stepInAdvance(terms.aggregation, usage, event, wasActive);
  if (step === null) return null;
  const { state, charged, shownUnits, isActive } = step;
  const next = priceEvent(terms, soFar, event, charged);
  return {
    fee: chargeFee(next, { units: shownUnits, eventsCount: 1n }, terms.currency),
    tally: { usage: state, soFar: next.soFar },
    isActive,
  };
}

/** All of them as one fee: the price of the highest total, because a decrease is not refunded. Its units are that total. */
export function feeSoFar(terms: InAdvanceTerms, { usage, soFar }: InAdvanceTally, eventsCount: bigint): ChargeFee {
  const units = decimal(usage.maximum);
  const { pricing, isProrated, currency } = terms;
  if (!isProrated || soFar.model !== "by_units") {
    return chargeFee(priceSoFar(pricing, soFar), { units, eventsCount }, currency);
  }
  const prorated = { fullUnits: units, proratedUnits: decimal(soFar.units) };
  return chargeFee(priceUnits(prorated, { perUnit: perUnitOf(pricing), flat: ZERO }), { units, eventsCount }, currency);
}

/** What they have come to for some days of the period, which begins with a part of it already billed. */
export function feeForDays(
  { pricing, window, currency }: InAdvanceTerms,
  { usage, soFar }: InAdvanceTally,
  { eventsCount, days }: { readonly eventsCount: bigint; readonly days: number },
): ChargeFee {
  const units = decimal(usage.maximum);
  const billed = { units, days, periodDays: window.periodDays };
  return chargeFee(priceByDays(pricing, priceSoFar(pricing, soFar), billed), { units, eventsCount }, currency);
}

function priceEvent(
  terms: InAdvanceTerms,
  soFar: ChargedSoFar,
  event: UsageEvent,
  charged: Decimal,
): Priced<AmountDerivation> & { readonly soFar: ChargedSoFar } {
  if (!terms.isProrated) return priceNext(terms.pricing, soFar, charged);
  return {
    ...priceNextProrated(perUnitOf(terms.pricing), charged, daysOf(terms, event)),
    soFar: chargeMore(terms.pricing, soFar, [pricedUnits(terms, event, charged)]),
  };
}

/** Charged units, weighed by the days that are left where they are prorated. */
const pricedUnits = (terms: InAdvanceTerms, event: UsageEvent, charged: Decimal): Decimal =>
  terms.isProrated ? weighedUnits(charged, daysOf(terms, event)) : charged;

const daysOf = ({ window }: InAdvanceTerms, { at }: UsageEvent) => ({
  left: daysLeft(at, window),
  ofPeriod: window.periodDays,
});

function perUnitOf(pricing: Pricing): Decimal {
  if (pricing.model === "standard") return pricing.amount;
  throw new Error(`A ${pricing.model} price in advance is never prorated: the catalog refuses it.`);
}
