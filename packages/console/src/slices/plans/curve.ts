/** What quantities cost, for drawing: the one place where amounts become floats. */
import type { ChargeDefinition, Price } from "@tallystick/core/catalog";
import { looksAtEvents, price } from "@tallystick/core/rating";
import { roundUp } from "./round-up.ts";
import { quantityOf } from "./simulate.ts";

export type CurvePoint = { readonly units: number; readonly amount: number };
/** A tier, and what a unit of it costs. */
export type Band = { readonly from: number; readonly to: number; readonly each: string };
export type Curve = { readonly points: readonly CurvePoint[]; readonly bands: readonly Band[] };

const STEPS = 120;
/** Where each event is priced on its own, a point costs as much time as there are events. */
const EVENTS_OF_ALL_POINTS = 6000;

export function curveOf({ pricing }: Price, { most, events }: { most: number; events: string }): Curve {
  const isSlow = pricing.model === "percentage" && looksAtEvents(pricing);
  const steps = isSlow ? Math.max(6, Math.min(STEPS, Math.floor(EVENTS_OF_ALL_POINTS / Number(events || 1)))) : STEPS;
  const tiers = "tiers" in pricing ? pricing.tiers : [];
  const edges = tiers.flatMap(({ to }) => (to === null || Number(to) >= most ? [] : [Number(to), Number(to) + 1]));
  const regular = Array.from({ length: steps + 1 }, (_, index) => roundUnits((most * index) / steps, most));
  const at = [...new Set([...regular, ...edges])].sort((one, other) => one - other);
  return {
    points: at.map((units) => ({ units, amount: amountAt(pricing, units, events) })),
    bands: tiers
      .map((tier) => ({
        from: Number(tier.from),
        to: tier.to === null ? most : Math.min(Number(tier.to), most),
        each: "rate" in tier ? `${tier.rate.toFixed()} %` : tier.perUnit.toFixed(),
      }))
      .filter(({ from }) => from < most),
  };
}

/** Whole units, where there are enough of them. */
const roundUnits = (units: number, most: number): number =>
  most >= STEPS ? Math.round(units) : Math.round(units * 1000) / 1000;

export function amountAt(pricing: Price["pricing"], units: number, events: string): number {
  const { amount } = price(pricing, quantityOf(pricing, { units: units.toFixed(6), events }));
  return Number(amount.numerator) / Number(amount.denominator);
}

/** The price of a charge, or of one of its filters. */
export const priceAt = (charge: ChargeDefinition | undefined, filter: number | null): Price | undefined =>
  filter === null ? charge?.price : charge?.filters[filter]?.price;

/** How far a slider goes: beyond the last tier, and beyond what is used. A round number. */
export function mostOf(price: Price | undefined, units: number): number {
  const tiers = price && "tiers" in price.pricing ? price.pricing.tiers : [];
  const lastEnd = Math.max(0, ...tiers.map(({ to }) => Number(to ?? 0)));
  const free =
    price?.pricing.model === "package" ? Number(price.pricing.freeUnits + price.pricing.packageSize * 5n) : 0;
  return roundUp(Math.max(lastEnd * 1.6, units * 1.8, free, 20));
}
