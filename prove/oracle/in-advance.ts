// What each event costs when it is billed at once: the price of all so far, less the price of all before it.

import {
  exactPrice,
  type Price,
  type PriceModel,
  type PriceProperties,
  toPrice,
} from "@tallystick/second-opinion/pricing";
import {
  isBelow,
  isQuantity,
  larger,
  minus,
  type Rational,
  rational,
  sum,
  whole,
  ZERO,
} from "@tallystick/second-opinion/rational";

export type InAdvanceCase = {
  type: "count" | "sum" | "unique_count";
  model: Exclude<PriceModel, "volume">;
  properties: PriceProperties;
  digits: number;
  /** In the order in which they were accepted; one bucket, one period. */
  events: { value?: string; operation?: "add" | "remove" }[];
};

export type InAdvanceFee = { units: Rational; cents: bigint };

type Event = InAdvanceCase["events"][number];

/** The values that are there: those whose last event is not a removal. */
const activeValues = (events: readonly Event[]): Set<string> => {
  const last = new Map(events.flatMap((event) => (event.value === undefined ? [] : [[event.value, event] as const])));
  return new Set([...last].filter(([, event]) => event.operation !== "remove").map(([value]) => value));
};

/** The total after some events, as a charge in arrears would see it. */
function totalAfter(type: InAdvanceCase["type"], events: readonly Event[]): Rational {
  if (type === "count") return whole(events.length);
  if (type === "unique_count") return whole(activeValues(events).size);
  return sum(events.map(({ value }) => (isQuantity(value) ? rational(value) : ZERO)));
}

/** After each event the highest total there ever was, which is what has been paid for; nothing is the lowest. */
function highWater(c: InAdvanceCase): Rational[] {
  const totals = c.events.map((_, index) => totalAfter(c.type, c.events.slice(0, index + 1)));
  return totals.map((_, index) => totals.slice(0, index + 1).reduce(larger, ZERO));
}

/** What the fee shows: a value that comes back shows 1 although it costs nothing; otherwise what is charged. */
function shownUnits(c: InAdvanceCase, index: number, charged: Rational): Rational {
  const event = c.events[index];
  if (c.type !== "unique_count" || event?.value === undefined || event.operation === "remove") return charged;
  return activeValues(c.events.slice(0, index)).has(event.value) ? ZERO : whole(1);
}

/** One fee for each event; an event that brings nothing to charge costs nothing and is no paid event. */
export function oracleInAdvance(c: InAdvanceCase): InAdvanceFee[] {
  const paid = highWater(c);
  const charged = paid.map((water, index) => minus(water, paid[index - 1] ?? ZERO));
  const chargedUpTo = (end: number): Rational[] => charged.slice(0, end).filter((units) => isBelow(ZERO, units));
  const priceOf = (units: readonly Rational[]): Rational => exactPrice(c, sum(units), units);
  return charged.map((units, index) => {
    const delta: Price = toPrice(minus(priceOf(chargedUpTo(index + 1)), priceOf(chargedUpTo(index))), c.digits);
    return { units: shownUnits(c, index, units), cents: delta.cents };
  });
}
