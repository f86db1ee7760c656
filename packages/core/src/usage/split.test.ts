import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { ALL_FILTER_VALUES, type ChargeFilter } from "../catalog/index.ts";
import { sumDecimals } from "../money/index.ts";
import { aggregate, type Bucket, filterFor, groupKey, groupOf, splitUsage, type UsageEvent } from "./index.ts";
import {
  COUNT,
  charge,
  chargeFilter,
  events,
  MAX,
  month,
  RECURRING_SUM,
  type Row,
  SUM,
  texts,
  UNIQUE,
} from "./samples.ts";

const march = month("2024-03");
const metricFilters = [
  { key: "region", values: ["us", "eu"] },
  { key: "tier", values: ["gold", "silver", "bronze"] },
];
const all = [ALL_FILTER_VALUES];

const minute = (...list: readonly Record<string, string>[]): UsageEvent[] =>
  events(...list.map((properties, index): Row => [`2024-03-01T00:${String(index).padStart(2, "0")}Z`, properties]));

const shown = (buckets: readonly Bucket[]) =>
  buckets.map(({ filter, group, quantity }) => [
    filter?.id ?? null,
    group,
    quantity.units.toFixed(),
    quantity.eventsCount,
  ]);

const takenBy = (filters: readonly ChargeFilter[], properties: Record<string, string>) => {
  const [event] = minute(properties);
  return event && filterFor(charge(COUNT, { metricFilters, filters }), event)?.id;
};

describe("the filter that takes an event", () => {
  const us = chargeFilter("us", { region: ["us"] });
  const usGold = chargeFilter("usGold", { region: ["us"], tier: ["gold"] });

  it("has most keys", () => {
    expect(takenBy([us, usGold], { region: "us", tier: "gold" })).toBe("usGold");
    expect(takenBy([us, usGold], { region: "us", tier: "silver" })).toBe("us");
    expect(takenBy([us, usGold], { region: "us" })).toBe("us");
    expect(takenBy([us, usGold], { region: "eu", tier: "gold" })).toBeUndefined();
    expect(takenBy([us, usGold], {})).toBeUndefined();
  });

  it("then fewest values: of a list and a part of it, the part", () => {
    const both = chargeFilter("both", { region: ["us", "eu"] });
    expect(takenBy([both, us], { region: "us" })).toBe("us");
    expect(takenBy([both, us], { region: "eu" })).toBe("both");
  });

  it("counts combinations: 2 × 2 are more than 1 × 3", () => {
    const square = chargeFilter("square", { region: ["us", "eu"], tier: ["gold", "silver"] });
    const row = chargeFilter("row", { region: ["us"], tier: ["gold", "silver", "bronze"] });
    expect(takenBy([square, row], { region: "us", tier: "gold" })).toBe("row");
  });

  it("takes the sentinel for as many values as the metric has", () => {
    const anyTier = chargeFilter("anyTier", { tier: all });
    const two = chargeFilter("two", { tier: ["gold", "silver"] });
    const three = chargeFilter("three", { tier: ["gold", "silver", "bronze"] });
    expect(takenBy([anyTier, two], { tier: "gold" })).toBe("two");
    expect(takenBy([anyTier, two], { tier: "bronze" })).toBe("anyTier");
    expect(takenBy([anyTier, three], { tier: "gold" })).toBe("anyTier");
    expect(takenBy([anyTier], { tier: "iron" })).toBeUndefined();
    expect(takenBy([anyTier], {})).toBeUndefined();
  });

  it("then is the oldest: of duplicates the newer takes nothing, overlapping lists share nothing", () => {
    expect(takenBy([us, chargeFilter("again", { region: ["us"] })], { region: "us" })).toBe("us");
    const goldOrSilver = chargeFilter("goldOrSilver", { tier: ["gold", "silver"] });
    const silverOrBronze = chargeFilter("silverOrBronze", { tier: ["silver", "bronze"] });
    expect(takenBy([goldOrSilver, silverOrBronze], { tier: "silver" })).toBe("goldOrSilver");
    expect(takenBy([silverOrBronze, goldOrSilver], { tier: "silver" })).toBe("silverOrBronze");
    expect(takenBy([us, chargeFilter("gold", { tier: ["gold"] })], { region: "us", tier: "gold" })).toBe("us");
  });

  it("ignores keys that the metric does not know, and takes nothing when none is left", () => {
    const withStranger = chargeFilter("withStranger", { region: ["us"], planet: ["mars"] });
    expect(takenBy([withStranger], { region: "us", planet: "earth" })).toBe("withStranger");
    expect(takenBy([us, withStranger], { region: "us", planet: "mars" })).toBe("us");
    expect(takenBy([chargeFilter("strangers", { planet: ["mars"] })], { planet: "mars" })).toBeUndefined();
    expect(takenBy([chargeFilter("empty", {})], { region: "us" })).toBeUndefined();
  });

  it("does not take the sentinel among other values for more than a text", () => {
    expect(takenBy([chargeFilter("odd", { region: ["us", ALL_FILTER_VALUES] })], { region: "eu" })).toBeUndefined();
    expect(takenBy([chargeFilter("odd", { region: [ALL_FILTER_VALUES, "us"] })], { region: "eu" })).toBeUndefined();
  });

  it("finds no property that only every object has", () => {
    const odd = charge(COUNT, {
      metricFilters: [{ key: "constructor", values: ["x"] }],
      filters: [chargeFilter("odd", { constructor: ["x"] })],
    });
    expect(minute({}).map((event) => filterFor(odd, event))).toEqual([null]);
  });
});

describe("groups", () => {
  const group = (groupedBy: readonly string[], properties: Record<string, string>) =>
    groupOf(groupedBy, { properties });

  it("a missing and an empty property are one group", () => {
    expect(group(["workspace"], { workspace: "a" })).toEqual({ workspace: "a" });
    expect(group(["workspace"], {})).toEqual({ workspace: null });
    expect(group(["workspace"], { workspace: "" })).toEqual({ workspace: null });
    expect(group(["constructor"], {})).toEqual({ constructor: null });
    expect(group([], { workspace: "a" })).toEqual({});
  });

  it("have one key, whatever the order of properties", () => {
    expect(groupKey({ workspace: "a", user: null })).toBe('{"user":null,"workspace":"a"}');
    expect(groupKey({ user: null, workspace: "a" })).toBe('{"user":null,"workspace":"a"}');
    expect(groupKey({ "10": "x", "9": "y" })).toBe('{"10":"x","9":"y"}');
    expect(groupKey({})).toBe("{}");
  });

  test("have the same key only if they are the same", () =>
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("a", "b", '"', ",", ":", "null", ""), { minLength: 4, maxLength: 4 }),
        ([a = "", b = "", c = "", d = ""]) => {
          const [one, other] = [group(["x", "y"], { x: a, y: b }), group(["y", "x"], { x: c, y: d })];
          expect(groupKey(one) === groupKey(other)).toBe(a === c && b === d);
        },
      ),
    ));
});

describe("the usage of a charge", () => {
  const filters = [chargeFilter("A", { region: ["us"] }), chargeFilter("B", { region: ["us"], tier: ["gold"] })];

  it("is split over filters, the rest in the default bucket", () => {
    const sent = minute(
      { region: "us", tier: "gold" },
      { region: "us", tier: "silver" },
      { region: "us" },
      { region: "eu", tier: "gold" },
    );
    expect(shown(splitUsage(charge(COUNT, { metricFilters, filters }), sent, march))).toEqual([
      ["A", {}, "2", 2n],
      ["B", {}, "1", 1n],
      [null, {}, "1", 1n],
    ]);
  });

  it("shows what no filter takes: unknown values and missing keys", () => {
    const both = [chargeFilter("both", { region: ["us", "eu"] })];
    const sent = minute({ region: "eu" }, { region: "mars" }, {}, { tier: "gold" });
    expect(shown(splitUsage(charge(COUNT, { metricFilters, filters: both }), sent, march))).toEqual([
      ["both", {}, "1", 1n],
      [null, {}, "3", 3n],
    ]);
  });

  it("with the sentinel: 3, 1 and 1", () => {
    const known = [
      { key: "region", values: ["us", "eu"] },
      { key: "tier", values: ["gold", "silver"] },
    ];
    const any = [chargeFilter("f0", { region: all }), chargeFilter("f1", { region: ["us"], tier: all })];
    const sent = minute(
      { region: "us" },
      { region: "us", tier: "silver" },
      { region: "eu", tier: "gold" },
      { region: "mars", tier: "gold" },
      { region: "us", tier: "bronze" },
    );
    expect(shown(splitUsage(charge(COUNT, { metricFilters: known, filters: any }), sent, march))).toEqual([
      ["f0", {}, "3", 3n],
      ["f1", {}, "1", 1n],
      [null, {}, "1", 1n],
    ]);
  });

  it("sums each filter by itself, and shows the empty default bucket", () => {
    const each = [chargeFilter("us", { region: ["us"] }), chargeFilter("eu", { region: ["eu"] })];
    const sent = minute({ region: "us", v: "11" }, { region: "eu", v: "10" }, { region: "eu", v: "0.5" });
    expect(shown(splitUsage(charge(SUM, { metricFilters, filters: each }), sent, march))).toEqual([
      ["us", {}, "11", 1n],
      ["eu", {}, "10.5", 2n],
      [null, {}, "0", 0n],
    ]);
  });

  it("compares numbers by their text", () => {
    const sizes = [chargeFilter("one", { size: ["1"] }), chargeFilter("two", { size: ["2"] })];
    const sized = charge(COUNT, { metricFilters: [{ key: "size", values: ["1", "2"] }], filters: sizes });
    expect(shown(splitUsage(sized, minute({ size: "1" }, { size: "2" }, { size: "3" }), march))).toEqual([
      ["one", {}, "1", 1n],
      ["two", {}, "1", 1n],
      [null, {}, "1", 1n],
    ]);
  });

  it("is split into groups, in order of their keys", () => {
    const sent = minute({ workspace: "b" }, { workspace: "a" });
    expect(shown(splitUsage(charge(COUNT, { groupedBy: ["workspace"] }), sent, march))).toEqual([
      [null, { workspace: "a" }, "1", 1n],
      [null, { workspace: "b" }, "1", 1n],
    ]);
  });

  it("by two properties, one of them missing", () => {
    const sent = minute(
      { workspace: "a", user: "1", v: "2" },
      { workspace: "a", user: "2", v: "3.5" },
      { workspace: "a", user: "1", v: "1" },
      { workspace: "b", v: "4" },
    );
    expect(shown(splitUsage(charge(SUM, { groupedBy: ["workspace", "user"] }), sent, march))).toEqual([
      [null, { workspace: "a", user: "1" }, "3", 2n],
      [null, { workspace: "a", user: "2" }, "3.5", 1n],
      [null, { workspace: "b", user: null }, "4", 1n],
    ]);
  });

  it("each filter has groups of its own, and without usage one group of nulls", () => {
    const grouped = charge(COUNT, {
      metricFilters,
      filters: [
        chargeFilter("us", { region: ["us"] }, ["user"]),
        chargeFilter("eu", { region: ["eu"] }, ["user", "team"]),
      ],
      groupedBy: ["workspace"],
    });
    expect(
      shown(splitUsage(grouped, minute({ region: "us", user: "1", workspace: "a" }, { region: "us" }), march)),
    ).toEqual([
      ["us", { user: "1" }, "1", 1n],
      ["us", { user: null }, "1", 1n],
      ["eu", { user: null, team: null }, "0", 0n],
      [null, { workspace: null }, "0", 0n],
    ]);
  });

  it("makes no group of events that do not count", () => {
    const grouped = charge(SUM, { groupedBy: ["workspace"] });
    const sent = [
      ...minute({ workspace: "a", v: "1" }, { workspace: "b", v: "junk" }),
      ...events(["2024-02-01T00:00Z", { workspace: "c", v: "5" }]),
    ];
    expect(shown(splitUsage(grouped, sent, march))).toEqual([[null, { workspace: "a" }, "1", 1n]]);
    const junk = splitUsage(grouped, minute({ workspace: "b", v: "junk" }), march);
    expect(shown(junk)).toEqual([[null, { workspace: null }, "0", 0n]]);
    expect(junk.map(({ derivation }) => derivation.eventsIgnored)).toEqual(["1"]);
  });

  it("of a recurring metric keeps the groups of earlier periods", () => {
    const sent = events(["2024-01-01T00:00Z", { workspace: "a", v: "5" }]);
    expect(shown(splitUsage(charge(RECURRING_SUM, { groupedBy: ["workspace"] }), sent, march))).toEqual([
      [null, { workspace: "a" }, "5", 1n],
    ]);
  });

  it("counts a value that is in two groups in each", () => {
    const sent = minute({ workspace: "a", v: "x" }, { workspace: "b", v: "x" });
    expect(
      shown(splitUsage(charge(UNIQUE, { groupedBy: ["workspace"] }), sent, march)).map(([, , units]) => units),
    ).toEqual(["1", "1"]);
  });
});

describe("whatever the events", () => {
  const text = (...values: string[]) => fc.constantFrom(...values);
  const properties = fc.record(
    {
      region: text("us", "eu", "mars"),
      tier: text("gold", "silver", "iron"),
      user: text("1", "2", ""),
      v: text("1", "2.5", "-3", "junk"),
    },
    { requiredKeys: [] },
  );
  const values = fc.record(
    {
      region: fc.constantFrom(["us"], ["us", "eu"], all),
      tier: fc.constantFrom(["gold"], ["silver", "gold"], all),
      other: fc.constant(["x"]),
    },
    { requiredKeys: [] },
  );
  const charges = fc
    .record({
      filters: fc.array(values, { maxLength: 4 }),
      groupedBy: fc.subarray(["user", "tier"]),
      aggregation: fc.constantFrom(COUNT, SUM, MAX),
    })
    .map(({ filters, groupedBy, aggregation }) =>
      charge(aggregation, {
        metricFilters,
        groupedBy,
        filters: filters.map((each, index) => chargeFilter(`f${index}`, each, groupedBy)),
      }),
    );
  const sent = fc.array(properties, { maxLength: 15 }).map((list) => minute(...list));

  test("the buckets together are the whole", () =>
    fc.assert(
      fc.property(charges, sent, (billed, list) => {
        const { aggregation } = billed.metric;
        const buckets = splitUsage(billed, list, march);
        const whole = aggregate(aggregation, list, march);
        expect(buckets.reduce((sum, { quantity }) => sum + quantity.eventsFolded, 0n)).toBe(whole.eventsFolded);
        if (aggregation.type !== "max") {
          expect(sumDecimals(buckets.map(({ quantity }) => quantity.units)).toFixed()).toBe(whole.units.toFixed());
          const values = buckets.flatMap(({ quantity }) => texts(quantity.values));
          expect(values.toSorted()).toEqual(texts(whole.values).toSorted());
        }
      }),
    ));

  test("no bucket is listed twice, every filter and the default bucket at least once, in any order of events", () =>
    fc.assert(
      fc.property(charges, sent, (billed, list) => {
        const buckets = splitUsage(billed, list, march);
        const keys = buckets.map(({ filter, group }) => `${filter?.id ?? ""} ${groupKey(group)}`);
        expect(new Set(keys).size).toBe(keys.length);
        expect(new Set(buckets.map(({ filter }) => filter))).toEqual(new Set([...billed.filters, null]));
        expect(splitUsage(billed, list.toReversed(), march)).toEqual(buckets);
      }),
    ));

  test("the filter that takes an event matches it, and none that matches it is narrower", () =>
    fc.assert(
      fc.property(charges, sent, (billed, list) => {
        const listed = ({ values }: ChargeFilter) =>
          metricFilters.flatMap(({ key, values: allowed }) => {
            const own = values[key];
            return own === undefined ? [] : [{ key, own: own[0] === ALL_FILTER_VALUES ? allowed : own }];
          });
        const breadth = (filter: ChargeFilter) => listed(filter).reduce((product, { own }) => product * own.length, 1);
        for (const event of list) {
          const matching = billed.filters.filter((filter) => {
            const keys = listed(filter);
            return keys.length > 0 && keys.every(({ key, own }) => own.includes(event.properties[key] ?? "none"));
          });
          const most = Math.max(...matching.map((filter) => listed(filter).length));
          const narrowest = Math.min(...matching.filter((filter) => listed(filter).length === most).map(breadth));
          const best = matching.find((filter) => listed(filter).length === most && breadth(filter) === narrowest);
          expect(filterFor(billed, event)).toBe(best ?? null);
        }
      }),
    ));
});
