/** Prices a plan for a whole period of given usage, by the code that bills it. */
import type { Charge, ChargeDefinition, PlanDefinition } from "@tallystick/core/catalog";
import { type Decimal, decimal, fraction, type Minor, minor, sumMinor, truncateTo } from "@tallystick/core/money";
import { type BucketFee, commitmentTrueUp, looksAtEvents, rateCharge } from "@tallystick/core/rating";
import type { Quantity, UsageWindow } from "@tallystick/core/usage";

/** What was used of one price. `events`: how many, which only percentages look at. */
export type Used = { readonly units: string; readonly events: string };

/** The usage of a charge, or of one of its filters, by their positions: one for each group. */
export type UsedOf = (charge: number, filter: number | null) => readonly Used[];

export type SimulatedPrice = {
  readonly charge: number;
  readonly filter: number | null;
  readonly amountMinor: Minor;
  readonly fees: readonly BucketFee[];
};

export type Simulation = {
  readonly prices: readonly SimulatedPrice[];
  /** What remains to the minimum of a charge, by its position. */
  readonly trueUps: ReadonlyMap<number, Minor>;
  readonly commitmentMinor: Minor;
  /** Null where the base fee has periods of its own: then the total is that of a month of charges. */
  readonly baseMinor: Minor | null;
  readonly totalMinor: Minor;
};

/** A whole period. How many days it has makes no difference to it. */
const DAYS = 30;
const FIRST = Temporal.ZonedDateTime.from("2026-01-01T00:00:00[UTC]");
const AFTER = FIRST.add({ days: DAYS });
const WINDOW: UsageWindow = {
  from: FIRST.toInstant(),
  to: AFTER.toInstant(),
  timeZone: "UTC",
  firstDay: FIRST.toPlainDate(),
  lastDay: AFTER.subtract({ days: 1 }).toPlainDate(),
  periodDays: DAYS,
};
/** More would take longer than a key stroke. */
const EVENTS_MAX = 1000n;

export function simulate(plan: PlanDefinition, usedOf: UsedOf): Simulation {
  const rated = plan.charges.map((charge, index) => rate(charge, index, plan, usedOf));
  const prices = rated.flatMap(({ prices }) => prices);
  const trueUps = new Map(rated.flatMap(({ trueUp }, index) => (trueUp ? [[index, trueUp.amountMinor] as const] : [])));
  const charged = sumMinor([...prices.map(({ amountMinor }) => amountMinor), ...trueUps.values()]);
  const none = minor(0n);
  if (plan.areChargesMonthly) return { prices, trueUps, commitmentMinor: none, baseMinor: null, totalMinor: charged };
  const used = sumMinor([plan.amountMinor, charged]);
  const commitmentMinor = remainingCommitment(plan, used);
  const totalMinor = sumMinor([used, commitmentMinor]);
  return { prices, trueUps, commitmentMinor, baseMinor: plan.amountMinor, totalMinor };
}

function rate(definition: ChargeDefinition, index: number, { currency }: PlanDefinition, usedOf: UsedOf) {
  const charge = withIds(definition);
  const places = [null, ...charge.filters.keys()];
  const buckets = places.flatMap((place) => {
    const filter = place === null ? null : (charge.filters[place] ?? null);
    return usedOf(index, place).map((used, group) => ({
      filter,
      group: { group: String(group) },
      quantity: quantityOf(filter?.price.pricing ?? charge.price.pricing, used),
    }));
  });
  const { fees, trueUp } = rateCharge(charge, buckets, { window: WINDOW, currency });
  const prices = places.map((filter): SimulatedPrice => {
    const own = fees.filter(({ filterId }) => filterId === (filter === null ? null : String(filter)));
    return { charge: index, filter, amountMinor: sumMinor(own.map(({ amountMinor }) => amountMinor)), fees: own };
  });
  return { prices, trueUp };
}

/** Also of charges that are not stored yet. */
const withIds = (charge: ChargeDefinition): Charge => ({
  ...charge,
  id: "",
  filters: charge.filters.map((filter, index) => ({ ...filter, id: String(index) })),
});

function remainingCommitment({ minimumCommitment }: PlanDefinition, usedMinor: Minor): Minor {
  const minimumMinor = minimumCommitment?.amountMinor ?? minor(0n);
  const trueUp = commitmentTrueUp({ minimumMinor, days: DAYS, periodDays: DAYS, usedMinor });
  return trueUp?.amountMinor ?? minor(0n);
}

/** Units that were there for the whole period. */
export function quantityOf(pricing: Charge["price"]["pricing"], used: Used): Quantity {
  const units = readUnits(used.units);
  const isNothing = units.eq("0") && !isAbove(used.events);
  const values = pricing.model === "percentage" && looksAtEvents(pricing) ? valuesOf(used) : [];
  const eventsCount = isNothing ? 0n : countOf(used.events);
  return {
    units,
    eventsCount,
    eventsFolded: eventsCount,
    closing: units,
    values,
    changes: isNothing ? [] : [{ units, days: DAYS }],
  };
}

const WHOLE = /^\d{1,15}$/;
const DECIMAL = /^\d{1,20}(\.\d{1,20})?$/;

const readUnits = (text: string): Decimal => decimal(DECIMAL.test(text.trim()) ? text.trim() : "0");
const isAbove = (events: string): boolean => WHOLE.test(events) && BigInt(events) > 0n;
const countOf = (events: string): bigint => (isAbove(events) ? BigInt(events) : 1n);

/** Events that are alike. The last one has what the division leaves. */
export function valuesOf({ units: text, events }: Used): Decimal[] {
  const units = readUnits(text);
  const wanted = countOf(events);
  const count = wanted > EVENTS_MAX ? EVENTS_MAX : wanted;
  const each = truncateTo(fraction(units).over(count), 6);
  const others = Array.from({ length: Number(count) - 1 }, () => each);
  return [...others, units.minus(each.times(decimal(String(count - 1n))))];
}
