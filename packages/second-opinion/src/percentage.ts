// The percentage price: a share of each event's value, with free allowances, fixed amounts and limits per event.

import {
  HUNDRED,
  isBelow,
  larger,
  minus,
  over,
  plus,
  type Rational,
  rational,
  smaller,
  sum,
  times,
  whole,
  ZERO,
} from "./rational.ts";

export type PercentageProperties = {
  rate?: string;
  fixed_amount?: string | null;
  free_units_per_events?: number | null;
  free_units_per_total_aggregation?: string | null;
  per_transaction_min_amount?: string | null;
  per_transaction_max_amount?: string | null;
};

type Terms = {
  rate: Rational;
  fixed: Rational;
  freeEvents: number | null;
  freeAmount: Rational | null;
  least: Rational | null;
  most: Rational | null;
};

const input = (text: string | null | undefined): Rational | null =>
  text === undefined || text === null || text === "" ? null : rational(text);

function termsOf(properties: PercentageProperties): Terms {
  const freeAmount = input(properties.free_units_per_total_aggregation);
  return {
    rate: over(rational(properties.rate ?? "0"), HUNDRED),
    fixed: input(properties.fixed_amount) ?? ZERO,
    // An allowance of 0 allows nothing, so it counts as absent.
    freeEvents: properties.free_units_per_events ? properties.free_units_per_events : null,
    freeAmount: freeAmount !== null && isBelow(ZERO, freeAmount) ? freeAmount : null,
    least: input(properties.per_transaction_min_amount),
    most: input(properties.per_transaction_max_amount),
  };
}

/** The total after each event. */
function runningTotals(values: readonly Rational[]): Rational[] {
  let total = ZERO;
  return values.map((value) => {
    total = plus(total, value);
    return total;
  });
}

function freeUnits(terms: Terms, units: Rational, totals: readonly Rational[]): Rational {
  const { freeEvents, freeAmount } = terms;
  const afterFreeEvents = totals[Math.min(freeEvents ?? 0, totals.length) - 1] ?? ZERO;
  if (freeEvents === null) return freeAmount === null ? ZERO : smaller(units, freeAmount);
  return freeAmount === null ? afterFreeEvents : smaller(afterFreeEvents, freeAmount);
}

function freeEventsCount(terms: Terms, totals: readonly Rational[]): number {
  const { freeEvents, freeAmount } = terms;
  if (freeAmount === null) return freeEvents ?? 0;
  const belowLimit = totals.filter((total) => isBelow(total, freeAmount)).length;
  const counts = [freeEvents ?? 0, belowLimit].filter((count) => count > 0);
  return counts.length === 0 ? 0 : Math.min(...counts);
}

/** All events in one sum: the rate on the paid value, and a fixed amount for each paid event. */
function priceTogether(terms: Terms, units: Rational, totals: readonly Rational[]): Rational {
  const free = freeUnits(terms, units, totals);
  const share = isBelow(units, free) ? ZERO : times(minus(units, free), terms.rate);
  const paidEvents = Math.max(0, totals.length - freeEventsCount(terms, totals));
  return plus(share, times(whole(paidEvents), terms.fixed));
}

/** Each event on its own: free until either allowance is used up. The event that reaches the free amount pays on the rest. */
function priceOneByOne(terms: Terms, values: readonly Rational[], totals: readonly Rational[]): Rational {
  const { freeEvents, freeAmount } = terms;
  const reaching = freeAmount === null ? -1 : totals.findIndex((total) => !isBelow(total, freeAmount));
  const endOfAmount = reaching === -1 ? values.length : reaching;
  const endOfEvents = freeEvents ?? values.length;
  const hasAllowance = freeEvents !== null || freeAmount !== null;
  const firstPaid = hasAllowance ? Math.min(endOfAmount, endOfEvents) : 0;
  return sum(
    values.map((value, index) => {
      if (index < firstPaid) return ZERO;
      const paysOnTheRest = freeAmount !== null && index === reaching && index < endOfEvents;
      const paid = paysOnTheRest ? minus(totals[index] ?? ZERO, freeAmount) : value;
      const amount = plus(times(paid, terms.rate), terms.fixed);
      const raised = terms.least === null ? amount : larger(amount, terms.least);
      return terms.most === null ? raised : smaller(raised, terms.most);
    }),
  );
}

/** The same if only the number of events is known, which is enough unless single events are priced. */
export function percentageOfSum(properties: PercentageProperties, units: Rational, events: bigint): Rational {
  const { rate, fixed, freeEvents, freeAmount, least, most } = termsOf(properties);
  if (freeEvents !== null || freeAmount !== null || least !== null || most !== null)
    throw new Error("a price that looks at single events was measured without them");
  return plus(times(units, rate), times(whole(events), fixed));
}

/** The amount, in major units, for events of these values in order of time. */
export function percentagePrice(
  properties: PercentageProperties,
  units: Rational,
  values: readonly Rational[],
): Rational {
  const terms = termsOf(properties);
  const totals = runningTotals(values);
  const isLimited = terms.least !== null || terms.most !== null;
  return isLimited ? priceOneByOne(terms, values, totals) : priceTogether(terms, units, totals);
}
