import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import type { Aggregation } from "../catalog/index.ts";
import { ceilTo, decimal, Fraction } from "../money/index.ts";
import { aggregate, isCounted, type UsageEvent, type UsageWindow } from "./index.ts";
import {
  COUNT,
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

/** One event a day from 1 March 2024, 10:00, with these values; none where undefined. */
const daily = (...values: readonly (string | undefined)[]) =>
  events(
    ...values.map((v, index): Row => {
      const at = `2024-03-${String(index + 1).padStart(2, "0")}T10:00Z`;
      return v === undefined ? [at] : [at, { v }];
    }),
  );

const unitsOf = (aggregation: Aggregation, used: readonly UsageEvent[], window: UsageWindow = march) =>
  aggregate(aggregation, used, window).units.toFixed();

describe("which events a window sees", () => {
  const inFebruary = daysWindow("2024-02-10", "2024-02-29", {
    from: Temporal.Instant.from("2024-02-10T12:12Z"),
    periodDays: 29,
  });
  const edges = events(
    ["2024-02-10T12:11:59.999999999Z"],
    ["2024-02-10T12:12:00Z"],
    ["2024-02-29T23:59:59.999999Z"],
    ["2024-03-01T00:00:00Z"],
    ["2024-03-31T23:59:59Z"],
    ["2024-04-01T00:00:00Z"],
  );

  it.each([
    ["February, from the instant of the start", inFebruary, "2"],
    ["March", march, "2"],
    ["April", month("2024-04"), "1"],
  ])("%s: the start belongs to it, the end to the next", (_name, window, units) =>
    expect(unitsOf(COUNT, edges, window)).toBe(units),
  );

  it("a subscription of 19 July, 12:12, bills usage from that minute to the last instant of 18 August", () => {
    const window = daysWindow("2023-07-19", "2023-08-18", { from: Temporal.Instant.from("2023-07-19T12:12Z") });
    const used = events(
      ["2023-07-19T12:11:59Z", { v: "1" }],
      ["2023-07-19T12:12:00Z", { v: "2" }],
      ["2023-08-18T23:59:59.999999Z", { v: "4" }],
      ["2023-08-19T00:00:00Z", { v: "8" }],
    );
    expect(unitsOf(SUM, used, window)).toBe("6");
  });

  it("an event at the instant of a termination is outside", () => {
    const window = daysWindow("2024-03-01", "2024-03-15", {
      to: Temporal.Instant.from("2024-03-15T09:30Z"),
      periodDays: 31,
    });
    expect(unitsOf(COUNT, events(["2024-03-15T09:29:59.999999Z"], ["2024-03-15T09:30Z"]), window)).toBe("1");
  });

  it("two windows that share an instant count each event once", () => {
    const upgrade = Temporal.Instant.from("2024-03-15T09:30Z");
    const used = events(["2024-03-15T09:29:59.999999Z"], ["2024-03-15T09:30Z"], ["2024-03-15T09:30:00.000001Z"]);
    const before = aggregate(COUNT, used, { ...march, to: upgrade });
    const after = aggregate(COUNT, used, { ...march, from: upgrade });
    expect([before.units.toFixed(), after.units.toFixed()]).toEqual(["1", "2"]);
  });

  it("a recurring metric sees all history up to the end, a late event of a closed period included", () => {
    const used = events(
      ["2020-01-01T00:00Z", { v: "7" }],
      ["2024-03-31T23:59:59Z", { v: "1" }],
      ["2024-04-01T00:00Z", { v: "9" }],
    );
    expect(unitsOf(RECURRING_SUM, used)).toBe("8");
    expect(unitsOf(SUM, used)).toBe("1");
  });

  it("an event of the period that is dated after now counts at once", () =>
    expect(unitsOf(SUM, events(["2024-03-30T00:00Z", { v: "4" }]))).toBe("4"));
});

describe("count", () => {
  it("takes every event, whatever its properties", () => {
    const used = aggregate(
      COUNT,
      events(["2024-03-01T10:00Z"], ["2024-03-02T10:00Z", { v: "x" }], ["2024-03-03T10:00Z"]),
      march,
    );
    expect(used.units.toFixed()).toBe("3");
    expect([used.eventsCount, used.eventsFolded]).toEqual([3n, 3n]);
    expect(texts(used.values)).toEqual(["1", "1", "1"]);
    expect([used.closing.toFixed(), used.changes]).toEqual(["3", []]);
  });
});

describe("values that are not plain decimals", () => {
  const junk = daily("12.5", "1e3", "12,5", " 5", "+5", "5.", ".5", "abc", "", "0x10", undefined);

  it.each([
    ["sum", SUM],
    ["max", MAX],
    ["latest", LATEST],
  ] as const)("are ignored by a %s, and by its number of events", (_name, aggregation) => {
    const used = aggregate(aggregation, junk, march);
    expect([used.units.toFixed(), used.eventsCount, used.eventsFolded]).toEqual(["12.5", 1n, 1n]);
  });

  it("are ignored by a weighted sum", () => expect(aggregate(WEIGHTED, junk, march).eventsCount).toBe(1n));

  it("a property of every object, like constructor, is not one of the event", () => {
    expect(unitsOf({ type: "sum", field: "constructor", isRecurring: false }, daily("1"))).toBe("0");
    expect(unitsOf({ type: "unique_count", field: "toString", isRecurring: false }, daily("1"))).toBe("0");
  });
});

describe("sum", () => {
  it("adds numbers, text and negative values: 5, 7.5, -2 is 10.5", () => {
    const used = aggregate(SUM, daily("5", "7.5", "-2"), march);
    expect([used.units.toFixed(), used.eventsCount, used.closing.toFixed()]).toEqual(["10.5", 3n, "10.5"]);
    expect(texts(used.values)).toEqual(["5", "7.5", "-2"]);
    expect(used.changes).toEqual([]);
  });

  it("keeps very long decimals", () =>
    expect(unitsOf(SUM, daily("0.000000000000001", "123456789.123456789"))).toBe("123456789.123456789000001"));

  it("may be below zero, with its events", () => {
    const used = aggregate(SUM, daily("1", "-4"), march);
    expect([used.units.toFixed(), used.eventsCount]).toEqual(["-3", 2n]);
  });

  it("of a recurring metric keeps its total: 10, again 10, then 6", () => {
    const used = events(["2024-01-10T00:00Z", { v: "10" }], ["2024-03-05T00:00Z", { v: "-4" }]);
    const months = ["2024-01", "2024-02", "2024-03"].map((text) => aggregate(RECURRING_SUM, used, month(text)));
    expect(months.map(({ units }) => units.toFixed())).toEqual(["10", "10", "6"]);
    expect(months.map(({ closing }) => closing.toFixed())).toEqual(["10", "10", "6"]);
    expect(months.map(({ eventsCount }) => eventsCount)).toEqual([1n, 1n, 2n]);
    expect(months.map(({ values }) => texts(values))).toEqual([["10"], ["10"], ["10", "-4"]]);
  });
});

describe("max", () => {
  it("is the largest value, worth it once", () => {
    const used = aggregate(MAX, daily("3", "11", "7", "11"), march);
    expect([used.units.toFixed(), used.eventsCount]).toEqual(["11", 4n]);
    expect(texts(used.values)).toEqual(["0", "11", "0", "0"]);
  });

  it("of negative values is the one nearest to zero, of none 0", () => {
    expect(unitsOf(MAX, daily("-3", "-2.5"))).toBe("-2.5");
    expect(unitsOf(MAX, [])).toBe("0");
  });

  it("starts again each period", () =>
    expect(unitsOf(MAX, events(["2024-02-29T00:00Z", { v: "50" }], ["2024-03-01T00:00Z", { v: "2" }]))).toBe("2"));

  it("does not depend on arrival: 100 events over four days", () => {
    const used = events(
      ...Array.from(
        { length: 100 },
        (_, index): Row => [
          `2024-03-${String((index % 4) * 7 + 1).padStart(2, "0")}T00:00Z`,
          { v: String((index * 37) % 101) },
        ],
      ),
    );
    const { units, eventsCount } = aggregate(MAX, used, march);
    expect([units.toFixed(), eventsCount]).toEqual(["100", 100n]);
  });
});

describe("latest", () => {
  const at = (time: string, v: string): Row => [`2024-03-05T${time}Z`, { v }];

  it("goes by the time of events, not by arrival", () => {
    const used = aggregate(LATEST, events(at("10:00", "3"), at("11:00", "11"), at("10:30", "7")), march);
    expect([used.units.toFixed(), used.eventsCount]).toEqual(["11", 3n]);
    expect(texts(used.values)).toEqual(["0", "0", "11"]);
  });

  it("below zero is 0, and its events still count", () => {
    const used = aggregate(LATEST, events(at("10:00", "3"), at("12:00", "-5")), march);
    expect([used.units.toFixed(), used.eventsCount, texts(used.values)]).toEqual(["0", 2n, ["0", "0"]]);
  });

  it("of one instant is the one accepted last", () =>
    expect(unitsOf(LATEST, events(at("10:00", "3"), at("10:00", "4")).reverse())).toBe("4"));

  it("of none is 0", () => expect(unitsOf(LATEST, [])).toBe("0"));
});

describe("unique count", () => {
  const add = (day: string, v: string): Row => [`2024-03-${day}T10:00Z`, { v, operation_type: "add" }];
  const remove = (day: string, v: string): Row => [`2024-03-${day}T10:00Z`, { v, operation_type: "remove" }];

  it("is the number of different values, and shows that as its number of events", () => {
    const used = aggregate(UNIQUE, daily("a", "b", "a"), march);
    expect([used.units.toFixed(), used.eventsCount, used.eventsFolded]).toEqual(["2", 2n, 3n]);
    expect(texts(used.values)).toEqual(["1", "1"]);
  });

  it("A add, A add, B remove, A remove, B add, C add are B and C", () => {
    const used = events(
      add("01", "A"),
      add("02", "A"),
      remove("03", "B"),
      remove("04", "A"),
      add("05", "B"),
      add("06", "C"),
    );
    expect(unitsOf(UNIQUE, used)).toBe("2");
  });

  it("walks by the time of events, not by arrival", () => {
    const used = aggregate(UNIQUE, events(remove("06", "A"), add("05", "A"), add("09", "B")), march);
    expect([used.units.toFixed(), used.eventsCount]).toEqual(["1", 1n]);
  });

  it("of one instant walks in order of acceptance", () => {
    expect(unitsOf(UNIQUE, events(add("05", "A"), remove("05", "A")))).toBe("0");
    expect(unitsOf(UNIQUE, events(remove("05", "A"), add("05", "A")))).toBe("1");
  });

  it("an operation it does not know changes nothing", () => {
    const other: Row = ["2024-03-02T10:00Z", { v: "A", operation_type: "delete" }];
    expect(unitsOf(UNIQUE, events(other))).toBe("0");
    expect(unitsOf(UNIQUE, events(add("01", "A"), other))).toBe("1");
  });

  it("takes an empty text for a value, and leaves out events without the property", () => {
    const used = aggregate(UNIQUE, daily("", undefined, "a"), march);
    expect([used.units.toFixed(), used.eventsFolded]).toEqual(["2", 2n]);
  });

  it("of a recurring metric stays until removed: 2, 1, 2, 2", () => {
    const used = events(
      ["2024-01-10T00:00Z", { v: "a", operation_type: "add" }],
      ["2024-01-11T00:00Z", { v: "b", operation_type: "add" }],
      ["2024-02-15T00:00Z", { v: "b", operation_type: "remove" }],
      ["2024-03-31T23:59:59Z", { v: "c", operation_type: "add" }],
    );
    const months = ["2024-01", "2024-02", "2024-03", "2024-04"].map((text) =>
      aggregate(RECURRING_UNIQUE, used, month(text)),
    );
    expect(months.map(({ units }) => units.toFixed())).toEqual(["2", "1", "2", "2"]);
    expect(months.map(({ closing }) => closing.toFixed())).toEqual(["2", "1", "2", "2"]);
    expect(unitsOf(UNIQUE, used, month("2024-02"))).toBe("0");
  });
});

describe("weighted sum", () => {
  const used = events(
    ["2023-03-05T00:00Z", { v: "2500" }],
    ["2023-04-04T00:00Z", { v: "-2000" }],
    ["2023-04-06T00:00Z", { v: "-200" }],
  );

  it("2500 from 5 March are 2500 × 27 / 31, over the full month though the subscription began inside it", () => {
    const window = daysWindow("2023-03-05", "2023-03-31", { periodDays: 31 });
    const weighed = aggregate(RECURRING_WEIGHTED, used, window);
    expect(weighed.units.toFixed()).toBe("2177.41935483870967741936");
    expect([weighed.closing.toFixed(), weighed.eventsCount, weighed.changes]).toEqual(["2500", 1n, []]);
  });

  it("April begins with 2500: (2500 × 3 + 500 × 2 + 300 × 25) / 30", () => {
    const weighed = aggregate(RECURRING_WEIGHTED, used, month("2023-04"));
    expect(weighed.units.toFixed()).toBe("533.33333333333333333334");
    expect([weighed.closing.toFixed(), weighed.eventsCount]).toEqual(["300", 3n]);
    expect(texts(weighed.values)).toEqual(["0", "0", "533.33333333333333333334"]);
  });

  it("a month without events weighs what was there before", () =>
    expect(unitsOf(RECURRING_WEIGHTED, used, month("2023-05"))).toBe("300"));

  it("a late event of a closed period is in what the next one begins with", () => {
    const late = events(["2023-02-01T00:00Z", { v: "31" }]);
    expect(unitsOf(RECURRING_WEIGHTED, late, month("2023-04"))).toBe("31");
  });

  it("of a metered metric begins with nothing", () => {
    const metered = events(
      ["2024-02-11T00:00Z", { v: "99" }],
      ["2024-03-11T00:00Z", { v: "31" }],
      ["2024-03-21T12:00Z", { v: "-10" }],
    );
    const weighed = aggregate(WEIGHTED, metered, march);
    expect(weighed.units.toFixed()).toBe("17.61290322580645161291");
    expect([weighed.eventsCount, weighed.closing.toFixed()]).toEqual([2n, "21"]);
  });

  it("steps of one instant weigh nothing", () => {
    const at = "2024-03-02T00:00Z";
    const weighed = aggregate(WEIGHTED, events([at, { v: "100" }], [at, { v: "-100" }], [at, { v: "10" }]), march);
    expect([weighed.units.toFixed(), weighed.eventsCount]).toEqual(["9.67741935483870967742", 3n]);
  });

  it("half days and fractions: 0.375, then 51.612…", () => {
    const halves = events(["2024-01-16T12:00Z", { v: "0.75" }], ["2024-02-15T06:00Z", { v: "100" }]);
    expect(unitsOf(RECURRING_WEIGHTED, halves, month("2024-01"))).toBe("0.375");
    expect(unitsOf(RECURRING_WEIGHTED, halves, month("2024-02"))).toBe("51.61206896551724137932");
  });

  it("counts nanoseconds exactly, and rounds up only at the twentieth decimal", () => {
    const last = events(["2024-03-31T23:59:59.999999999Z", { v: "1" }]);
    expect(unitsOf(WEIGHTED, last)).toBe("0.00000000000000037336");
  });

  it("divides by 86,400 seconds a day also where clocks change: 743 hours of a 31-day month", () => {
    const window = month("2024-03", { timeZone: "Europe/Paris" });
    const always = events(["2024-02-29T23:00Z", { v: "1" }]);
    expect(unitsOf(WEIGHTED, always, window)).toBe(ceilTo(new Fraction(743n * 3600n, 31n * 86_400n), 20).toFixed());
  });

  it("of a subscription that ended inside the month weighs the time until then", () => {
    const window = daysWindow("2024-03-01", "2024-03-16", {
      to: Temporal.Instant.from("2024-03-16T12:00Z"),
      periodDays: 31,
    });
    expect(unitsOf(WEIGHTED, events(["2024-03-01T00:00Z", { v: "62" }]), window)).toBe("31");
  });
});

describe("whatever the events", () => {
  const aggregations = [COUNT, SUM, RECURRING_SUM, MAX, LATEST, UNIQUE, RECURRING_UNIQUE, WEIGHTED, RECURRING_WEIGHTED];
  const window = daysWindow("2024-03-10", "2024-03-11");
  const hour = fc.integer({ min: -30, max: 78 }).map((hours) => window.from.add({ hours }));
  const edge = fc.constantFrom(
    window.from,
    window.to,
    window.from.subtract({ nanoseconds: 1 }),
    window.to.subtract({ nanoseconds: 1 }),
  );
  const properties = fc.record(
    {
      v: fc.constantFrom("1", "2", "-1", "0.5", "10", "x", "1e3", "-7.25"),
      operation_type: fc.constantFrom("add", "remove", "remove", "other"),
    },
    { requiredKeys: [] },
  );
  const wild: fc.Arbitrary<UsageEvent[]> = fc
    .array(fc.record({ at: fc.oneof(hour, hour, edge), properties }), { maxLength: 14 })
    .map((list) => list.map((event, index) => ({ ...event, position: BigInt(index) })));
  const anyAggregation = fc.constantFrom(...aggregations);

  test("neither their order, nor repeats, nor the pages they come in make a difference", () =>
    fc.assert(
      fc.property(
        anyAggregation,
        wild.chain((list) =>
          fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length }), fc.subarray(list)),
        ),
        (aggregation, [list, shuffled, again]) => {
          const once = aggregate(aggregation, list, window);
          expect(aggregate(aggregation, shuffled, window)).toEqual(once);
          expect(aggregate(aggregation, [...again, ...shuffled, ...again], window)).toEqual(once);
          const pages = Map.groupBy(list, ({ position }) => position % 3n);
          expect(aggregate(aggregation, [...pages.values()].flat(), window)).toEqual(once);
        },
      ),
    ));

  test("count, sum and max of two sets together come from those of each", () =>
    fc.assert(
      fc.property(wild, fc.nat(14), (list, cut) => {
        const [one, other] = [list.slice(0, cut), list.slice(cut)];
        const [countOne, countOther] = [aggregate(COUNT, one, window), aggregate(COUNT, other, window)];
        expect(unitsOf(COUNT, list, window)).toBe(countOne.units.plus(countOther.units).toFixed());
        for (const sum of [SUM, RECURRING_SUM]) {
          const [sumOne, sumOther] = [aggregate(sum, one, window), aggregate(sum, other, window)];
          expect(unitsOf(sum, list, window)).toBe(sumOne.units.plus(sumOther.units).toFixed());
        }
        const parts = [aggregate(MAX, one, window), aggregate(MAX, other, window)].filter(
          ({ eventsFolded }) => eventsFolded > 0n,
        );
        const largest = parts.map(({ units }) => units).sort((a, b) => b.cmp(a))[0];
        expect(unitsOf(MAX, list, window)).toBe((largest ?? decimal("0")).toFixed());
      }),
    ));

  test("a window split in two counts and sums the same", () =>
    fc.assert(
      fc.property(wild, hour, (list, cut) => {
        fc.pre(Temporal.Instant.compare(cut, window.from) >= 0 && Temporal.Instant.compare(cut, window.to) <= 0);
        for (const aggregation of [COUNT, SUM]) {
          const halves = [
            { ...window, to: cut },
            { ...window, from: cut },
          ].map((half) => aggregate(aggregation, list, half));
          const sum = halves.reduce((total, { units }) => total.plus(units), decimal("0"));
          expect(unitsOf(aggregation, list, window)).toBe(sum.toFixed());
          expect(halves.flatMap(({ values }) => texts(values))).toEqual(
            texts(aggregate(aggregation, list, window).values),
          );
        }
      }),
    ));

  test("a unique count is what a walk value by value counts", () =>
    fc.assert(
      fc.property(wild, fc.boolean(), (list, isRecurring) => {
        const visible = list.filter(
          ({ at }) =>
            at.epochNanoseconds < window.to.epochNanoseconds &&
            (isRecurring || at.epochNanoseconds >= window.from.epochNanoseconds),
        );
        const values = new Set(visible.flatMap(({ properties }) => properties.v ?? []));
        const inUse = [...values].filter((value) => {
          let isPresent = false;
          const own = visible.filter(({ properties }) => properties.v === value);
          for (const { properties } of own.toSorted((a, b) => Temporal.Instant.compare(a.at, b.at))) {
            if ((properties.operation_type ?? "add") === "add") isPresent = true;
            if (properties.operation_type === "remove") isPresent = false;
          }
          return isPresent;
        });
        const counted = aggregate(isRecurring ? RECURRING_UNIQUE : UNIQUE, list, window);
        expect(counted.units.toFixed()).toBe(String(inUse.length));
        expect(counted.eventsCount).toBe(BigInt(inUse.length));
        expect(counted.eventsFolded).toBe(
          BigInt(visible.filter(({ properties }) => properties.v !== undefined).length),
        );
      }),
    ));

  test("a weighted sum is the sum of what was there second by second", () => {
    const from = Temporal.Instant.from("2024-03-10T00:00Z");
    const short = daysWindow("2024-03-10", "2024-03-10", { from, to: from.add({ seconds: 40 }), periodDays: 7 });
    const second = fc.record({
      offset: fc.integer({ min: -10, max: 50 }),
      v: fc.constantFrom("1", "3", "-2", "0.25", "junk"),
    });
    fc.assert(
      fc.property(fc.array(second, { maxLength: 8 }), fc.boolean(), (list, isRecurring) => {
        const used = events(...list.map(({ offset, v }): Row => [from.add({ seconds: offset }).toString(), { v }]));
        let total = 0n;
        for (let now = 0; now < 40; now++) {
          for (const { offset, v } of list) {
            const isThere = offset <= now && (isRecurring || offset >= 0);
            if (isThere && v !== "junk") total += BigInt(Number(v) * 4);
          }
        }
        const exact = new Fraction(total, 4n * 7n * 86_400n);
        const aggregation: Aggregation = { type: "weighted_sum", field: "v", isRecurring };
        expect(unitsOf(aggregation, used, short)).toBe(ceilTo(exact, 20).toFixed());
      }),
    );
  });

  test("what a recurring metric closes with is what the next window begins with", () =>
    fc.assert(
      fc.property(wild, (list) => {
        const next = daysWindow("2024-03-12", "2024-03-13");
        const early = list.filter(({ at }) => Temporal.Instant.compare(at, window.to) < 0);
        for (const aggregation of [RECURRING_SUM, RECURRING_UNIQUE, RECURRING_WEIGHTED]) {
          expect(unitsOf(aggregation, early, next)).toBe(aggregate(aggregation, early, window).closing.toFixed());
        }
      }),
    ));
});

test("an event is counted exactly where it is folded", () => {
  for (const aggregation of [COUNT, SUM, MAX, LATEST, UNIQUE, WEIGHTED])
    for (const [event, ...others] of [daily("5"), daily("x"), daily(""), daily(undefined)]) {
      expect(others).toEqual([]);
      if (event)
        expect(BigInt(isCounted(aggregation, event))).toBe(aggregate(aggregation, [event], march).eventsFolded);
    }
});
