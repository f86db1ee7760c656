/** The usage of one charge, filter and group, as rating needs it. */
import { ceilTo, type Decimal, fraction, sum } from "../money/index.ts";
import type { UsageWindow } from "./window.ts";

/** A change of a recurring quantity, weighed by the days it is in effect. */
export type Change = {
  readonly units: Decimal;
  /** Days out of the window's periodDays. 0 for a unit removed from a unique count, because its addition was weighed only until then. */
  readonly days: number;
};

export type Quantity = {
  /** As aggregated; a negative one is billed as 0. */
  readonly units: Decimal;
  /** In its API form: for a unique count its value. */
  readonly eventsCount: bigint;
  /** The number of aggregated events, whatever the API shows. */
  readonly eventsFolded: bigint;
  /** What a recurring metric carries into the next period: the full value at the window's end. */
  readonly closing: Decimal;
  /** The value of each event in order of time, for prices that use single events. */
  readonly values: readonly Decimal[];
  /** For a recurring sum or unique count: the changes that prorated prices use, in order of time. Their sum is `closing`. */
  readonly changes: readonly Change[];
};

/** A quantity whose event values are `values`, and that carries nothing beyond its units. */
export function quantityOf(units: Decimal, values: readonly Decimal[]): Quantity {
  const events = BigInt(values.length);
  return { units, eventsCount: events, eventsFolded: events, closing: units, values, changes: [] };
}

/** Units weighed by their days, rounded up at 5 decimals: one unit for 22 of 31 days is 0.70968. */
export function proratedUnits(
  { changes }: Pick<Quantity, "changes">,
  { periodDays }: Pick<UsageWindow, "periodDays">,
): Decimal {
  const unitDays = sum(changes.map(({ units, days }) => fraction(units).times(BigInt(days))));
  return ceilTo(unitDays.over(BigInt(periodDays)), 5);
}
