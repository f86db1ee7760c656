import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import type { Aggregation } from "../catalog/index.ts";
import { aggregate, explainQuantity, splitUsage, type UsageDerivation, type UsageEvent, unitsFrom } from "./index.ts";
import {
  COUNT,
  charge,
  chargeFilter,
  events,
  LATEST,
  MAX,
  month,
  RECURRING_SUM,
  RECURRING_UNIQUE,
  RECURRING_WEIGHTED,
  type Row,
  SUM,
  UNIQUE,
  WEIGHTED,
} from "./samples.ts";

const march = month("2024-03");
const stored = (derivation: UsageDerivation): UsageDerivation => JSON.parse(JSON.stringify(derivation));
const derivationsOf = (aggregation: Aggregation, used: readonly UsageEvent[]) =>
  splitUsage(charge(aggregation), used, march).map(({ derivation }) => stored(derivation));
const values = (...list: readonly string[]) =>
  events(...list.map((v, index): Row => [`2024-03-${String(index + 1).padStart(2, "0")}T00:00Z`, { v }]));

describe("a quantity explains itself", () => {
  const period = "from 2024-03-01T00:00:00Z until before 2024-04-01T00:00:00Z";

  it.each<[string, Aggregation, UsageEvent[], string[]]>([
    ["count", COUNT, values("x", "y", "z"), [`Number of events, ${period}`, "3 events counted", "Units: 3"]],
    [
      "sum",
      SUM,
      values("5", "7.5", "-2", "1e3"),
      [
        `Sum of v, ${period}`,
        "3 events counted, 1 ignored for want of a number as v",
        "0 from before + 10.5 in this window = 10.5",
      ],
    ],
    [
      "negative sum",
      RECURRING_SUM,
      events(["2024-01-01T00:00Z", { v: "1" }], ["2024-03-01T00:00Z", { v: "-4" }]),
      [`Sum of v, ${period}`, "2 events counted", "1 from before + -4 in this window = -3, billed as 0"],
    ],
    ["max", MAX, values("3", "11", "7"), [`Largest v, ${period}`, "3 events counted", "Largest value: 11"]],
    ["latest", LATEST, values("3"), [`Latest v, ${period}`, "1 event counted", "Latest value: 3"]],
    [
      "negative latest",
      LATEST,
      values("3", "-5"),
      [`Latest v, ${period}`, "2 events counted", "Latest value: -5, below 0, so 0"],
    ],
    [
      "unique count",
      RECURRING_UNIQUE,
      events(
        ["2024-01-01T00:00Z", { v: "a" }],
        ["2024-01-02T00:00Z", { v: "b" }],
        ["2024-03-01T00:00Z", { v: "a", operation_type: "remove" }],
        ["2024-03-02T00:00Z", { v: "c" }],
        ["2024-03-03T00:00Z"],
      ),
      [
        `Different values of v in use, ${period}`,
        "4 events counted, 1 ignored for want of v",
        "2 from before + 1 added - 1 removed = 2",
      ],
    ],
    [
      "weighted sum",
      RECURRING_WEIGHTED,
      events(["2024-02-01T00:00Z", { v: "10" }], ["2024-03-31T12:00Z", { v: "0.5" }]),
      [
        `Sum of v, weighed by time, ${period}`,
        "2 events counted",
        "26805600 units × seconds / 2678400 seconds of the period = 10.00806451612903225807, rounded up at 20 decimals",
      ],
    ],
  ])("as %s", (_name, aggregation, used, lines) =>
    expect(derivationsOf(aggregation, used).map(explainQuantity)).toEqual([lines]),
  );

  it("with its filter and its group", () => {
    const split = charge(COUNT, {
      metricFilters: [{ key: "region", values: ["us", "eu"] }],
      filters: [chargeFilter("f0", { region: ["us", "eu"] }, ["workspace", "user"])],
    });
    const [bucket] = splitUsage(split, events(["2024-03-01T00:00Z", { region: "us", workspace: "a" }]), march);
    expect(bucket && explainQuantity(bucket.derivation)).toEqual([
      `Number of events, ${period}`,
      "Filter region: us or eu",
      "Group user: none",
      "Group workspace: a",
      "1 event counted",
      "Units: 1",
    ]);
  });

  it("and names its window, its filter and the days it weighs", () => {
    const [derivation] = derivationsOf(RECURRING_SUM, []);
    expect(derivation).toEqual({
      window: {
        from: "2024-03-01T00:00:00Z",
        to: "2024-04-01T00:00:00Z",
        timeZone: "UTC",
        firstDay: "2024-03-01",
        lastDay: "2024-03-31",
        periodDays: 31,
      },
      filter: null,
      group: {},
      eventsCounted: "0",
      eventsIgnored: "0",
      basis: { type: "sum", field: "v", carried: "0", added: "0" },
    });
  });
});

test("the units come out of the stored derivation again", () => {
  const aggregations = [COUNT, SUM, RECURRING_SUM, MAX, LATEST, UNIQUE, RECURRING_UNIQUE, WEIGHTED, RECURRING_WEIGHTED];
  const row = fc
    .tuple(
      fc.integer({ min: -40, max: 45 }),
      fc.constantFrom("1", "-2.5", "7", "junk"),
      fc.constantFrom("add", "remove"),
    )
    .map(
      ([days, v, operation_type]): Row => [march.from.add({ hours: days * 24 + 7 }).toString(), { v, operation_type }],
    );
  fc.assert(
    fc.property(fc.constantFrom(...aggregations), fc.array(row, { maxLength: 12 }), (aggregation, rows) => {
      const used = events(...rows);
      const whole = aggregate(aggregation, used, march);
      for (const derivation of derivationsOf(aggregation, used)) {
        expect(unitsFrom(derivation).toFixed()).toBe(whole.units.toFixed());
        expect(derivation.eventsCounted).toBe(String(whole.eventsFolded));
      }
    }),
  );
});
