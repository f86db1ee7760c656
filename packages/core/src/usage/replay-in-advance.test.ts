import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { decimal } from "../money/index.ts";
import { aggregate, type InAdvanceAggregation, isInUse, replayInAdvance, type UsageEvent } from "./index.ts";
import { events, month, RECURRING_SUM, RECURRING_UNIQUE, type Row, SUM, UNIQUE } from "./samples.ts";

const COUNT = { type: "count" } as const;
const january = month("2024-01");

const replay = (aggregation: InAdvanceAggregation, ...rows: readonly Row[]) =>
  replayInAdvance(aggregation, events(...rows), january);
const charged = ({ charges }: ReturnType<typeof replay>) => charges.map(({ units }) => units.toFixed());

describe("a period gone through again", () => {
  it("charges what each event brought above the maximum: 10, then 4", () => {
    const sum = replay(
      SUM,
      ["2024-01-05T00:00Z", { v: "10" }],
      ["2024-01-06T00:00Z", { v: "-4" }],
      ["2024-01-07T00:00Z", { v: "8" }],
    );
    expect(charged(sum)).toEqual(["10", "4"]);
    expect(sum.state).toEqual({ units: "14", maximum: "14", events: "3" });
    expect(sum.charges.map(({ event }) => event.position)).toEqual([1n, 3n]);
  });

  it("takes events in order of acceptance, whatever their time", () => {
    const sum = replay(SUM, ["2024-01-09T00:00Z", { v: "5" }], ["2024-01-02T00:00Z", { v: "-3" }]);
    expect(charged(sum)).toEqual(["5"]);
    expect(sum.state).toMatchObject({ units: "2", maximum: "5" });
  });

  it("sees its window only, each event once", () => {
    const [one] = events(["2024-01-05T00:00Z"]);
    const outside = events(["2023-12-31T23:59:59.999999Z"], ["2024-02-01T00:00Z"]);
    const given = [...outside, ...(one ? [one, one] : [])];
    expect(replayInAdvance(COUNT, given, january).state).toEqual({ units: "1", maximum: "1", events: "1" });
  });

  it("of a metered metric begins with nothing", () => {
    const before: Row = ["2023-12-05T00:00Z", { v: "A" }];
    expect(replay(UNIQUE, before).carried.toFixed()).toBe("0");
    expect(replay(UNIQUE, before).active.size).toBe(0);
  });

  it("of a recurring sum begins with its total, which the renewal billed", () => {
    const sum = replay(RECURRING_SUM, ["2023-12-05T00:00Z", { v: "6" }], ["2024-01-05T00:00Z", { v: "1" }]);
    expect(sum.carried.toFixed()).toBe("6");
    expect(charged(sum)).toEqual(["1"]);
    expect(sum.state).toEqual({ units: "7", maximum: "7", events: "1" });
  });

  it("that begins below zero is charged only above zero", () => {
    const sum = replay(RECURRING_SUM, ["2023-12-05T00:00Z", { v: "-5" }], ["2024-01-05T00:00Z", { v: "8" }]);
    expect([sum.carried.toFixed(), ...charged(sum)]).toEqual(["-5", "3"]);
  });

  it("knows which values of a unique count are in use, those of earlier periods too", () => {
    const unique = replay(
      RECURRING_UNIQUE,
      ["2023-12-01T00:00Z", { v: "A" }],
      ["2023-12-02T00:00Z", { v: "B" }],
      ["2023-12-03T00:00Z", { v: "A", operation_type: "remove" }],
      ["2024-01-05T00:00Z", { v: "B" }],
      ["2024-01-06T00:00Z", { v: "C" }],
      ["2024-01-07T00:00Z", { operation_type: "add" }],
    );
    expect([...unique.active]).toEqual(["B", "C"]);
    expect(unique.carried.toFixed()).toBe("1");
    expect(charged(unique)).toEqual(["1"]);
    const next = (v: string): UsageEvent => ({ at: january.from, position: 99n, properties: { v } });
    expect(["A", "B", "C"].map((v) => isInUse(RECURRING_UNIQUE, next(v), unique.active))).toEqual([false, true, true]);
    expect(isInUse(SUM, next("B"), unique.active)).toBe(false);
  });
});

test("what is charged is the maximum less what the period began with, and the total is that of the events", () => {
  const row = fc.record({
    day: fc.integer({ min: -20, max: 40 }),
    v: fc.constantFrom("1", "2", "-3", "0.5", "junk"),
    operation_type: fc.constantFrom("add", "remove"),
  });
  const aggregations = fc.constantFrom<InAdvanceAggregation>(COUNT, SUM, UNIQUE, RECURRING_SUM, RECURRING_UNIQUE);
  fc.assert(
    fc.property(aggregations, fc.array(row, { maxLength: 20 }), (aggregation, rows) => {
      const list = events(
        ...rows.map(({ day, ...properties }): Row => [january.from.add({ hours: 24 * day }).toString(), properties]),
      );
      const { carried, state, charges } = replayInAdvance(aggregation, list, january);
      const sum = charges.reduce((total, { units }) => total.plus(units), decimal("0"));
      const start = carried.lt("0") ? decimal("0") : carried;
      expect(state.maximum).toBe(start.plus(sum).toFixed());
      // In order of time, a unique count can end differently. Its total is compared only if nothing is removed.
      const isOrdered = aggregation.type !== "unique_count" || rows.every((each) => each.operation_type === "add");
      if (isOrdered) expect(state.units).toBe(aggregate(aggregation, list, january).units.toFixed());
    }),
  );
});
