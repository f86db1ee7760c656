// Arbitrary prices and the usage they are put to.

import type { PriceCase, PriceModel, PriceProperties } from "@tallystick/second-opinion/pricing";
import type { ProratedCase } from "@tallystick/second-opinion/prorated";
import type { PriceRange } from "@tallystick/second-opinion/tiers";
import fc from "fast-check";
import type { InAdvanceCase } from "./in-advance.ts";
import {
  around,
  change,
  decimalText,
  digits,
  ONE,
  periodDays,
  price,
  quantity,
  rate,
  scaledOf,
} from "./random-numbers.ts";

type Ends = "classic" | "adjacent";

/** Tiers whose last one is open: the next begins at the end of the one before, or 1 above it. */
const ranges = (ends: Ends, pricing: fc.Arbitrary<Pick<PriceRange, "per_unit_amount" | "rate">>) => {
  const width = fc.oneof(...[3, 3, 30, 100_000].map((max) => fc.integer({ min: 1, max })));
  const flat = fc.oneof(fc.constant("0"), price);
  return fc.array(fc.record({ width, pricing, flat }), { minLength: 1, maxLength: 5 }).map((tiers): PriceRange[] => {
    let from = 0;
    return tiers.map((tier, index) => {
      const to = index === tiers.length - 1 ? null : from + tier.width;
      const range = { from_value: from, to_value: to, ...tier.pricing, flat_amount: tier.flat };
      from = (to ?? from) + (ends === "classic" ? 1 : 0);
      return range;
    });
  });
};

const perUnit = price.map((per_unit_amount) => ({ per_unit_amount }));
const perCent = rate.map((percentage) => ({ rate: percentage }));

const optional = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | null | undefined> =>
  fc.oneof({ weight: 2, arbitrary: value }, fc.constantFrom(null, undefined));

const without = <Properties extends Record<string, unknown>>(properties: Properties): PriceProperties =>
  Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined));

const limits = fc.oneof(
  fc.constant({}),
  price.map((least) => ({ per_transaction_min_amount: least })),
  price.map((most) => ({ per_transaction_max_amount: most })),
  price.map((both) => ({ per_transaction_min_amount: both, per_transaction_max_amount: both })),
  fc.tuple(price, price).map(([one, other]) => {
    const isOrdered = scaledOf(one) <= scaledOf(other);
    return {
      per_transaction_min_amount: isOrdered ? one : other,
      per_transaction_max_amount: isOrdered ? other : one,
    };
  }),
);

const absolute = (value: bigint): bigint => (value < 0n ? -value : value);

/** Terms whose free amount often is just what some events add up to. */
function percentageProperties(totals: readonly bigint[]): fc.Arbitrary<PriceProperties> {
  const freeAmount = around(totals).map((free) => decimalText(free === 0n ? ONE : absolute(free)));
  return fc
    .record({
      rate,
      fixed_amount: optional(price),
      free_units_per_events: optional(fc.integer({ min: 1, max: totals.length + 1 })),
      free_units_per_total_aggregation: optional(fc.oneof({ weight: 12, arbitrary: freeAmount }, fc.constant("0"))),
      limits,
    })
    .map(({ limits: perTransaction, ...terms }) => without({ ...terms, ...perTransaction }));
}

const packageProperties: fc.Arbitrary<PriceProperties> = fc.record({
  amount: price,
  free_units: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 500 })),
  package_size: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 1000 })),
});

/** Any model but percentage, whose terms are made to fit its events. */
function propertiesOf(model: Exclude<PriceModel, "percentage">, ends: Ends): fc.Arbitrary<PriceProperties> {
  switch (model) {
    case "standard":
      return fc.record({ amount: price });
    case "package":
      return packageProperties;
    case "graduated":
      return fc.record({ graduated_ranges: ranges(ends, perUnit) });
    case "volume":
      return fc.record({ volume_ranges: ranges(ends, perUnit) });
    case "graduated_percentage":
      return fc.record({ graduated_percentage_ranges: ranges(ends, perCent) });
    default:
      return model satisfies never;
  }
}

/** Where a price changes: ends of tiers, free units, whole packages. */
function marksOf(properties: PriceProperties): bigint[] {
  const { graduated_ranges, volume_ranges, graduated_percentage_ranges, free_units = 0, package_size } = properties;
  const tiers = graduated_ranges ?? volume_ranges ?? graduated_percentage_ranges ?? [];
  const ends = tiers.flatMap(({ to_value }) => (to_value === null ? [] : [to_value]));
  const packages =
    package_size === undefined ? [] : [free_units, free_units + package_size, free_units + 3 * package_size];
  return [...ends, ...packages].map((mark) => BigInt(mark) * ONE);
}

const pricedByUnits = (models: readonly Exclude<PriceModel, "percentage">[], ends: Ends): fc.Arbitrary<PriceCase> =>
  fc
    .constantFrom(...models)
    .chain((model) => propertiesOf(model, ends).map((properties) => ({ model, properties })))
    .chain(({ model, properties }) =>
      fc.record({ units: around(marksOf(properties)).map(decimalText), digits }).map(({ units, digits: minor }) => ({
        model,
        properties,
        units,
        values: [units],
        digits: minor,
      })),
    );

/** Values as a sum has them, as a count has them (1 each), and as a maximum has them (itself once, 0 for the others). */
const eventValues: fc.Arbitrary<bigint[]> = fc.oneof(
  { weight: 4, arbitrary: fc.array(quantity, { maxLength: 8 }) },
  { weight: 2, arbitrary: fc.array(change, { maxLength: 8 }) },
  { weight: 2, arbitrary: fc.array(fc.constant(ONE), { maxLength: 8 }) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(quantity, fc.nat({ max: 4 }), fc.nat({ max: 4 }))
      .map(([most, before, after]) => [...Array(before).fill(0n), most, ...Array(after).fill(0n)]),
  },
);

const totalsOf = (values: readonly bigint[]): bigint[] =>
  values.map((_, index) => values.slice(0, index + 1).reduce((all, value) => all + value, 0n));

const pricedByEvents: fc.Arbitrary<PriceCase> = eventValues.chain((values) => {
  const totals = totalsOf(values);
  const units = totals.at(-1) ?? 0n;
  return fc.record({ properties: percentageProperties(totals), digits }).map(({ properties, digits: minor }) => ({
    model: "percentage",
    properties,
    units: decimalText(units < 0n ? 0n : units),
    values: values.map(decimalText),
    digits: minor,
  }));
});

/** Prices of one model. */
export const priceCaseOf = (model: PriceModel): fc.Arbitrary<PriceCase> =>
  model === "percentage" ? pricedByEvents : pricedByUnits([model], "classic");

/** The same with ranges that share their ends (0 to 10, 10 to 20). */
export const adjacentPriceCase: fc.Arbitrary<PriceCase> = pricedByUnits(["graduated", "volume"], "adjacent");

type Changes = ProratedCase["changes"];

/** What a sum sees: the later a change, the fewer of its days. */
const sumChanges = (windowDays: number, marks: readonly bigint[]): fc.Arbitrary<Changes> => {
  const units = fc.oneof(
    { weight: 3, arbitrary: around(marks) },
    { weight: 1, arbitrary: around(marks).map((value) => -value) },
  );
  return fc
    .array(fc.record({ units, days: fc.integer({ min: 1, max: Math.max(1, windowDays) }) }), { maxLength: 8 })
    .map((changes) => changes.sort((a, b) => b.days - a.days))
    .map((changes) => changes.map((each) => ({ units: decimalText(each.units), days: each.days })));
};

/** What a unique count sees: values come for some days, and only those that came can go. */
const uniqueChanges = (windowDays: number): fc.Arbitrary<Changes> =>
  fc.array(fc.option(fc.integer({ min: 0, max: windowDays })), { maxLength: 14 }).map((steps) => {
    let there = 0;
    return steps.flatMap((days) => {
      if (days === null && there === 0) return [];
      there += days === null ? -1 : 1;
      return [days === null ? { units: "-1", days: 0 } : { units: "1", days }];
    });
  });

/** Prorated prices of one model. */
export const proratedCaseOf = (model: ProratedCase["model"]): fc.Arbitrary<ProratedCase> =>
  fc
    .record({ properties: propertiesOf(model, "classic"), periodDays, quarters: fc.nat({ max: 4 }), digits })
    .chain(({ quarters, ...rest }) => {
      const windowDays = Math.ceil((rest.periodDays * quarters) / 4);
      return fc
        .oneof(sumChanges(windowDays, marksOf(rest.properties)), uniqueChanges(windowDays))
        .map((changes) => ({ model, ...rest, changes }));
    });

type Events = InAdvanceCase["events"];

const advanceEvents = (type: InAdvanceCase["type"], marks: readonly bigint[]): fc.Arbitrary<Events> => {
  if (type === "count") return fc.nat({ max: 10 }).map((count) => Array.from({ length: count }, () => ({})));
  if (type === "sum") {
    const value = fc.oneof(around(marks), change).map(decimalText);
    return fc.array(fc.record({ value }), { maxLength: 10 });
  }
  const operation = fc.constantFrom("add", "add", "remove");
  const value = fc.constantFrom("a", "b", "c", "d", "1", "01");
  return fc.array(fc.record({ value, operation }, { requiredKeys: ["value"] }), { maxLength: 14 });
};

const advanceTotals = (type: InAdvanceCase["type"], events: Events): bigint[] =>
  totalsOf(events.map(({ value }) => (type === "sum" && value !== undefined ? absolute(scaledOf(value)) : ONE)));

const advanceByUnits = (type: InAdvanceCase["type"]): fc.Arbitrary<InAdvanceCase> =>
  fc
    .constantFrom("standard", "package", "graduated", "graduated_percentage")
    .chain((model) => fc.record({ model: fc.constant(model), properties: propertiesOf(model, "classic"), digits }))
    .chain((rest) => advanceEvents(type, marksOf(rest.properties)).map((events) => ({ type, ...rest, events })));

const advanceByEvents = (type: InAdvanceCase["type"]): fc.Arbitrary<InAdvanceCase> =>
  fc.record({ events: advanceEvents(type, []), digits }).chain((rest) =>
    percentageProperties(advanceTotals(type, rest.events)).map((properties) => ({
      type,
      ...rest,
      model: "percentage",
      properties,
    })),
  );

/** Events of one kind of metric that are billed at once. */
export const inAdvanceCaseOf = (type: InAdvanceCase["type"]): fc.Arbitrary<InAdvanceCase> =>
  fc.oneof({ weight: 2, arbitrary: advanceByUnits(type) }, { weight: 1, arbitrary: advanceByEvents(type) });
