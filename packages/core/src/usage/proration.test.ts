import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { ceilTo, Fraction } from "../money/index.ts";
import { aggregate, daysLeft, proratedUnits, type Quantity, type UsageWindow } from "./index.ts";
import {
  COUNT,
  daysWindow,
  events,
  month,
  RECURRING_SUM,
  RECURRING_UNIQUE,
  RECURRING_WEIGHTED,
  type Row,
  SUM,
  UNIQUE,
} from "./samples.ts";

const changesOf = ({ changes }: Quantity) => changes.map(({ units, days }) => [units.toFixed(), days]);
const summed = (window: UsageWindow, ...rows: Row[]) => aggregate(RECURRING_SUM, events(...rows), window);
const counted = (window: UsageWindow, ...rows: Row[]) => aggregate(RECURRING_UNIQUE, events(...rows), window);
const add = (at: string, v = "seat"): Row => [at, { v, operation_type: "add" }];
const remove = (at: string, v = "seat"): Row => [at, { v, operation_type: "remove" }];

describe("a prorated sum", () => {
  it("of September changes by 2 for 21 days, 5 for 15, -6 for 11, 10 for 6 and 4 for 5", () => {
    const september = month("2023-09");
    const quantity = summed(
      september,
      ["2023-09-10T10:00Z", { v: "2" }],
      ["2023-09-16T10:00Z", { v: "5" }],
      ["2023-09-20T10:00Z", { v: "-6" }],
      ["2023-09-25T10:00Z", { v: "10" }],
      ["2023-09-26T10:00Z", { v: "4" }],
    );
    expect(changesOf(quantity)).toEqual([
      ["2", 21],
      ["5", 15],
      ["-6", 11],
      ["10", 6],
      ["4", 5],
    ]);
    expect(quantity.units.toFixed()).toBe("15");
    expect(proratedUnits(quantity, september).toFixed()).toBe("4.36667");
  });

  it("refunds the day of removal: 1 - 20 / 31", () => {
    const rows: Row[] = [
      ["2023-09-10T00:00Z", { v: "1" }],
      ["2023-10-12T00:00Z", { v: "-1" }],
    ];
    const [september, october] = [month("2023-09"), month("2023-10")];
    expect(proratedUnits(summed(september, ...rows), september).toFixed()).toBe("0.7");
    expect(changesOf(summed(october, ...rows))).toEqual([
      ["1", 31],
      ["-1", 20],
    ]);
    expect(proratedUnits(summed(october, ...rows), october).toFixed()).toBe("0.35484");
  });

  it("carries additions and removals over three months", () => {
    const rows: Row[] = [
      ["2024-01-10T15:00Z", { v: "1" }],
      ["2024-02-12T00:00Z", { v: "-1" }],
      ["2024-02-20T09:00Z", { v: "4" }],
      ["2024-03-31T23:00Z", { v: "10" }],
    ];
    const months = ["2024-01", "2024-02", "2024-03"].map((text) => month(text));
    const used = months.map((window) => summed(window, ...rows));
    expect(used.map(({ units }) => units.toFixed())).toEqual(["1", "4", "14"]);
    expect(used.map(changesOf)).toEqual([
      [["1", 22]],
      [
        ["1", 29],
        ["-1", 18],
        ["4", 10],
      ],
      [
        ["4", 31],
        ["10", 1],
      ],
    ]);
    expect(months.map((window) => proratedUnits(summed(window, ...rows), window).toFixed())).toEqual([
      "0.70968",
      "1.75863",
      "4.32259",
    ]);
  });

  it("of 90 from 5 September and 120 from 16 September weighs 78, then 138", () => {
    const september = month("2023-09");
    const first: Row = ["2023-09-05T10:00Z", { v: "90" }];
    expect(proratedUnits(summed(september, first), september).toFixed()).toBe("78");
    const both = summed(september, first, ["2023-09-16T10:00Z", { v: "120" }]);
    expect([both.units.toFixed(), proratedUnits(both, september).toFixed()]).toEqual(["210", "138"]);
  });

  it("weighs only the window's days of what was carried, out of the full period", () => {
    const window = daysWindow("2024-03-01", "2024-03-10", { periodDays: 31 });
    const quantity = summed(window, ["2024-01-01T00:00Z", { v: "3" }]);
    expect(changesOf(quantity)).toEqual([["3", 10]]);
    expect(proratedUnits(quantity, window).toFixed()).toBe("0.96775");
  });

  it("of an upgraded subscription does not weigh the day of the upgrade", () => {
    const window = daysWindow("2024-03-01", "2024-03-14", {
      to: Temporal.Instant.from("2024-03-15T12:00Z"),
      periodDays: 31,
    });
    const quantity = summed(window, ["2024-03-14T09:00Z", { v: "1" }], ["2024-03-15T09:00Z", { v: "1" }]);
    expect(changesOf(quantity)).toEqual([
      ["1", 1],
      ["1", 0],
    ]);
  });

  it("that began in the middle of a day weighs that day, and never more than the window", () => {
    const from = Temporal.Instant.from("2024-03-20T12:00Z");
    const window = daysWindow("2024-03-20", "2024-03-31", { from, periodDays: 31 });
    expect(changesOf(summed(window, ["2024-03-20T11:00Z", { v: "2" }], ["2024-03-20T13:00Z", { v: "3" }]))).toEqual([
      ["2", 12],
      ["3", 12],
    ]);
    expect(daysLeft(Temporal.Instant.from("2024-03-01T00:00Z"), window)).toBe(12);
  });

  it("goes by local days, also over a change of clocks", () => {
    const window = month("2024-03", { timeZone: "Europe/Paris" });
    expect(daysLeft(Temporal.Instant.from("2024-03-30T22:59:59Z"), window)).toBe(2);
    expect(daysLeft(Temporal.Instant.from("2024-03-30T23:00Z"), window)).toBe(1);
  });

  it("does not list a carried total of 0", () =>
    expect(
      changesOf(summed(month("2024-03"), ["2024-01-01T00:00Z", { v: "2" }], ["2024-01-02T00:00Z", { v: "-2" }])),
    ).toEqual([]));
});

describe("a prorated unique count", () => {
  const march = month("2024-03");

  it("bills the day of removal: 21 of 30 days, then 12 of 31", () => {
    const rows = [add("2023-09-10T00:00Z"), remove("2023-10-12T00:00Z")];
    const [september, october] = [month("2023-09"), month("2023-10")];
    expect(proratedUnits(counted(september, ...rows), september).toFixed()).toBe("0.7");
    expect(changesOf(counted(october, ...rows))).toEqual([
      ["1", 12],
      ["-1", 0],
    ]);
    expect(proratedUnits(counted(october, ...rows), october).toFixed()).toBe("0.3871");
    expect(counted(october, ...rows).units.toFixed()).toBe("0");
  });

  it("weighs a seat without end to the last day", () =>
    expect(changesOf(counted(march, add("2024-03-31T23:59:59Z")))).toEqual([["1", 1]]));

  it("forgets a seat removed before the window", () =>
    expect(changesOf(counted(march, add("2024-02-01T00:00Z"), remove("2024-02-29T23:59:59Z")))).toEqual([]));

  it("weighs one day of a seat removed on the first day", () =>
    expect(changesOf(counted(march, add("2024-02-01T00:00Z"), remove("2024-03-01T00:00Z")))).toEqual([
      ["1", 1],
      ["-1", 0],
    ]));

  it.each([
    [
      "removed and added again on one day",
      [add("2024-03-02T00:00Z"), remove("2024-03-05T09:00Z"), add("2024-03-05T10:00Z")],
      [["1", 30]],
    ],
    [
      "added, removed, added and removed on one day",
      [add("2024-03-05T08:00Z"), remove("2024-03-05T09:00Z"), add("2024-03-05T10:00Z"), remove("2024-03-05T11:00Z")],
      [
        ["1", 1],
        ["-1", 0],
      ],
    ],
    [
      "added and removed on one day, and again the next",
      [add("2024-03-05T08:00Z"), remove("2024-03-05T09:00Z"), add("2024-03-06T10:00Z")],
      [
        ["1", 1],
        ["-1", 0],
        ["1", 26],
      ],
    ],
    [
      "removed on a day and added again the next",
      [add("2024-03-02T00:00Z"), remove("2024-03-05T23:00Z"), add("2024-03-06T00:00Z")],
      [
        ["1", 4],
        ["-1", 0],
        ["1", 26],
      ],
    ],
    [
      "carried, then removed and added again on one day",
      [add("2024-01-02T00:00Z"), remove("2024-03-05T09:00Z"), add("2024-03-05T10:00Z")],
      [["1", 31]],
    ],
  ])("of a seat %s counts no day twice", (_name, rows, changes) =>
    expect(changesOf(counted(march, ...rows))).toEqual(changes),
  );

  it("one day is a local day", () => {
    const rows = [add("2024-03-02T00:00Z"), remove("2024-03-05T22:30Z"), add("2024-03-05T23:30Z")];
    expect(changesOf(counted(march, ...rows))).toEqual([["1", 30]]);
    expect(changesOf(counted(month("2024-03", { timeZone: "Europe/Paris" }), ...rows))).toEqual([
      ["1", 4],
      ["-1", 0],
      ["1", 26],
    ]);
  });

  it("lists carried values in order of their addition, then what happened in order of time", () => {
    const rows = [
      remove("2024-03-10T00:00Z", "c"),
      add("2024-03-04T00:00Z", "d"),
      add("2024-02-01T00:00Z", "c"),
      remove("2024-03-04T00:00Z", "a"),
      add("2024-01-01T00:00Z", "a"),
    ];
    expect(changesOf(counted(march, ...rows))).toEqual([
      ["1", 4],
      ["1", 10],
      ["1", 28],
      ["-1", 0],
      ["-1", 0],
    ]);
  });

  it("of an upgraded subscription does not weigh the day of the upgrade", () => {
    const window = daysWindow("2024-03-01", "2024-03-14", {
      to: Temporal.Instant.from("2024-03-15T12:00Z"),
      periodDays: 31,
    });
    const rows = [add("2024-02-01T00:00Z", "a"), remove("2024-03-15T08:00Z", "a"), add("2024-03-15T09:00Z", "b")];
    expect(changesOf(counted(window, ...rows))).toEqual([
      ["1", 14],
      ["-1", 0],
      ["1", 0],
    ]);
  });
});

test("only a recurring sum and a recurring unique count can be prorated", () => {
  const used = events(["2024-03-05T00:00Z", { v: "1" }]);
  for (const aggregation of [COUNT, SUM, UNIQUE, RECURRING_WEIGHTED]) {
    expect(aggregate(aggregation, used, month("2024-03")).changes).toEqual([]);
  }
});

describe("whatever the events", () => {
  const window = daysWindow("2024-03-26", "2024-04-02", { timeZone: "Europe/Paris", periodDays: 31 });
  const days = Array.from({ length: 8 }, (_, index) => window.firstDay.add({ days: index }));
  const rows: fc.Arbitrary<Row[]> = fc.array(
    fc
      .record({
        minutes: fc.integer({ min: -3 * 24 * 60, max: 9 * 24 * 60 }),
        v: fc.constantFrom("1", "2", "-3", "0.5"),
        operation_type: fc.constantFrom("add", "remove"),
      })
      .map(({ minutes, v, operation_type }): Row => [window.from.add({ minutes }).toString(), { v, operation_type }]),
    { maxLength: 16 },
  );
  const localDay = (at: string) => Temporal.Instant.from(at).toZonedDateTimeISO(window.timeZone).toPlainDate();
  const visible = (list: readonly Row[]) =>
    list
      .filter(([at]) => Temporal.Instant.compare(at, window.to) < 0)
      .toSorted(([one], [other]) => Temporal.Instant.compare(one, other));

  test("the changes of a recurring metric add up to its closing units", () =>
    fc.assert(
      fc.property(rows, (list) => {
        for (const quantity of [summed(window, ...list), counted(window, ...list)]) {
          const total = quantity.changes.reduce(
            (sum, { units }) => sum.plus(units),
            quantity.closing.minus(quantity.closing),
          );
          expect(total.toFixed()).toBe(quantity.closing.toFixed());
          expect(quantity.changes.every(({ days }) => days >= 0 && days <= 8)).toBe(true);
        }
      }),
    ));

  test("a prorated sum is the total at the end of each day, over the days of the period", () =>
    fc.assert(
      fc.property(rows, (list) => {
        let halves = 0n;
        for (const day of days) {
          for (const [at, properties] of visible(list)) {
            if (Temporal.PlainDate.compare(localDay(at), day) <= 0) halves += BigInt(Number(properties?.v) * 2);
          }
        }
        expect(proratedUnits(summed(window, ...list), window).toFixed()).toBe(
          ceilTo(new Fraction(halves, 62n), 5).toFixed(),
        );
      }),
    ));

  test("a prorated unique count bills each value once for every day on which it was in use", () =>
    fc.assert(
      fc.property(rows, (list) => {
        const billed = new Set<string>();
        for (const value of ["1", "2", "-3", "0.5"]) {
          const own = visible(list).filter(([, properties]) => properties?.v === value);
          for (const day of days) {
            const before = own.filter(([at]) => Temporal.PlainDate.compare(localDay(at), day) < 0).at(-1);
            const isInUseAtStart = before?.[1]?.operation_type === "add";
            const isAddedToday = own.some(
              ([at, properties]) => localDay(at).equals(day) && properties?.operation_type === "add",
            );
            if (isInUseAtStart || isAddedToday) billed.add(`${value} ${day}`);
          }
        }
        const exact = new Fraction(BigInt(billed.size), 31n);
        expect(proratedUnits(counted(window, ...list), window).toFixed()).toBe(ceilTo(exact, 5).toFixed());
      }),
      { numRuns: 300 },
    ));
});
