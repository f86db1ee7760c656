import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { type Aggregation, isRecurring } from "../catalog/index.ts";
import { decimal, ZERO } from "../money/index.ts";
import type { Basis } from "./derivation.ts";
import {
  type Bucket,
  type BucketFigures,
  bucketsFrom,
  dayMarks,
  daysLeft,
  daysLeftAfter,
  splitUsage,
} from "./index.ts";
import {
  COUNT,
  charge,
  chargeFilter,
  daysWindow,
  events,
  LATEST,
  MAX,
  month,
  RECURRING_SUM,
  RECURRING_UNIQUE,
  RECURRING_WEIGHTED,
  type Row,
  SUM,
  texts,
  UNIQUE,
  WEIGHTED,
} from "./samples.ts";

const march = month("2024-03");

const NOTHING = { carried: ZERO, added: ZERO, removed: ZERO, unitSeconds: ZERO, value: ZERO };

function sumsIn(basis: Basis): typeof NOTHING {
  switch (basis.type) {
    case "count":
      return NOTHING;
    case "sum":
      return { ...NOTHING, carried: decimal(basis.carried), added: decimal(basis.added) };
    case "max":
      return { ...NOTHING, value: decimal(basis.largest) };
    case "latest":
      return { ...NOTHING, value: decimal(basis.latest) };
    case "unique_count": {
      const [carried, added, removed] = [basis.carried, basis.added, basis.removed].map(decimal);
      return { ...NOTHING, carried: carried ?? ZERO, added: added ?? ZERO, removed: removed ?? ZERO };
    }
    case "weighted_sum":
      return {
        ...NOTHING,
        carried: decimal(basis.carried),
        added: decimal(basis.added),
        unitSeconds: decimal(basis.unitSeconds),
      };
  }
}

/** The figures that a store would find, for the buckets with usage. */
const figuresOf = (buckets: readonly Bucket[], worth: Pick<BucketFigures, "values">[]): BucketFigures[] =>
  buckets.map(({ filter, group, quantity, derivation }, index) => ({
    filter,
    group,
    ...sumsIn(derivation.basis),
    eventsCounted: quantity.eventsFolded,
    eventsIgnored: BigInt(derivation.eventsIgnored),
    values: worth[index]?.values ?? null,
    changes: quantity.changes,
  }));

/** For a sum and a maximum a store lists the values; everything else is derived. */
const listed = (aggregation: Aggregation, { quantity }: Bucket): readonly ReturnType<typeof decimal>[] =>
  aggregation.type === "sum" ? quantity.values : [];

const AGGREGATIONS = [
  COUNT,
  SUM,
  RECURRING_SUM,
  LATEST,
  UNIQUE,
  RECURRING_UNIQUE,
  WEIGHTED,
  RECURRING_WEIGHTED,
] as const;

const named = (aggregation: (typeof AGGREGATIONS)[number]) =>
  [`${isRecurring(aggregation) ? "recurring " : ""}${aggregation.type}`, aggregation] as const;

const rows: fc.Arbitrary<Row[]> = fc.array(
  fc
    .record({
      day: fc.integer({ min: 1, max: 31 }),
      isEarly: fc.boolean(),
      v: fc.constantFrom("1", "2.50", "-3", "x", ""),
      region: fc.constantFrom("us", "eu", "mars"),
      user: fc.constantFrom("a", "b", ""),
      operation_type: fc.constantFrom("add", "remove"),
    })
    .map(({ day, isEarly, ...properties }): Row => {
      const at = `2024-${isEarly ? "01" : "03"}-${String(day).padStart(2, "0")}T10:00Z`;
      return [at, properties];
    }),
  { maxLength: 12 },
);

describe("the buckets from what a store found", () => {
  test.each(AGGREGATIONS.map(named))("are those of the reference: %s", (_name, aggregation) =>
    fc.assert(
      fc.property(rows, fc.nat(), (list, seed) => {
        const sample = charge(aggregation, {
          metricFilters: [{ key: "region", values: ["us", "eu"] }],
          filters: [chargeFilter("us", { region: ["us"] }, ["user"]), chargeFilter("eu", { region: ["eu"] })],
          groupedBy: ["user"],
        });
        const expected = splitUsage(sample, events(...list), march);
        const worth = expected.map((bucket) => ({ values: listed(aggregation, bucket) }));
        const figures = figuresOf(expected, worth).filter(({ eventsCounted }) => eventsCounted > 0n);
        const ignored = figuresOf(expected, worth).filter(({ eventsCounted }) => eventsCounted === 0n);
        const turned = seed % 2 === 0 ? [...figures, ...ignored] : [...ignored, ...figures.toReversed()];
        expect(bucketsFrom(sample, turned, march)).toEqual(expected);
      }),
    ),
  );

  it("put the largest where it came first", () => {
    const sample = charge(MAX);
    const used = events(
      ["2024-03-01T00:00Z", { v: "2" }],
      ["2024-03-02T00:00Z", { v: "7" }],
      ["2024-03-03T00:00Z", { v: "7" }],
    );
    const expected = splitUsage(sample, used, march);
    const values = ["2", "7.0", "7"].map(decimal);
    const [bucket] = bucketsFrom(sample, figuresOf(expected, [{ values }]), march);
    expect(texts(bucket?.quantity.values ?? [])).toEqual(["0", "7", "0"]);
  });

  it("list no values where no price asks for them", () => {
    const expected = splitUsage(charge(COUNT), events(["2024-03-01T00:00Z"]), march);
    const [bucket] = bucketsFrom(charge(COUNT), figuresOf(expected, []), march);
    expect(bucket?.quantity.values).toEqual([]);
    expect(bucket?.quantity.units.toFixed()).toBe("1");
  });

  it("of a filter of which every event was ignored are one empty bucket that says how many", () => {
    const sample = charge(SUM, { groupedBy: ["user"] });
    const ignored = (user: string, eventsIgnored: bigint): BucketFigures => ({
      filter: null,
      group: { user },
      ...NOTHING,
      eventsCounted: 0n,
      eventsIgnored,
      values: null,
      changes: [],
    });
    const buckets = bucketsFrom(sample, [ignored("a", 2n), ignored("b", 3n)], march);
    expect(buckets.map(({ group, derivation }) => [group, derivation.eventsIgnored])).toEqual([[{ user: null }, "5"]]);
  });
});

describe("days counted by marks", () => {
  test.each([
    ["of a month", march],
    ["of a month with 30 days and 23 hours", month("2024-03", { timeZone: "Europe/Paris" })],
    ["of a month with two midnights in a day", month("2010-11", { timeZone: "America/St_Johns" })],
    ["of a month that lacks a day", daysWindow("2011-12-25", "2012-01-10", { timeZone: "Pacific/Apia" })],
    [
      "whose last day is the next plan's",
      daysWindow("2024-03-01", "2024-03-30", { to: Temporal.Instant.from("2024-03-31T12:00Z") }),
    ],
    ["without a day", daysWindow("2024-03-01", "2024-02-29", { to: Temporal.Instant.from("2024-03-01T12:00Z") })],
  ])("are the days left of every instant of a window %s", (_name, window) => {
    const marks = dayMarks(window);
    for (let at = window.from; Temporal.Instant.compare(at, window.to) < 0; at = at.add({ minutes: 30 })) {
      const passed = marks.filter((mark) => Temporal.Instant.compare(mark, at) <= 0).length;
      expect(daysLeftAfter(passed, window), String(at)).toBe(daysLeft(at, window));
    }
  });
});
