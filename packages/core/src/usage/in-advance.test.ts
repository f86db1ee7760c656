import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { decimal } from "../money/index.ts";
import {
  aggregate,
  type InAdvanceAggregation,
  type InAdvanceState,
  type InAdvanceStep,
  startInAdvance,
  stepInAdvance,
  takesAway,
  type UsageEvent,
} from "./index.ts";
import { events, month, RECURRING_UNIQUE, type Row, SUM, UNIQUE } from "./samples.ts";

const COUNT = { type: "count" } as const;
const NOTHING_YET = startInAdvance(decimal("0"));

/** Like a worker: one row of state, one lookup of the value, both stored as JSON between events. */
function walk(aggregation: InAdvanceAggregation, sent: readonly UsageEvent[], start: InAdvanceState = NOTHING_YET) {
  const active = new Map<string, boolean>();
  let state = start;
  const steps: (InAdvanceStep | null)[] = [];
  for (const event of sent) {
    const value = event.properties.v ?? "";
    const step = stepInAdvance(aggregation, state, event, active.get(value) ?? false);
    steps.push(step);
    if (step === null) continue;
    active.set(value, step.isActive);
    state = JSON.parse(JSON.stringify(step.state));
  }
  return { state, steps };
}

const figures = ({ steps }: ReturnType<typeof walk>) =>
  steps.map((step) => step && [step.charged.toFixed(), step.shownUnits.toFixed()]);

const values = (...list: readonly string[]) => events(...list.map((v): Row => ["2024-01-05T00:00Z", { v }]));
const turns = (...list: readonly string[]) =>
  events(
    ...list.map((text): Row => {
      const [operation_type = "", v = ""] = text.split(" ");
      return ["2024-01-05T00:00Z", { v, operation_type }];
    }),
  );

describe("count in advance", () => {
  it("charges one for each event, also of one instant", () => {
    const counted = walk(COUNT, events(["2024-01-05T00:00Z"], ["2024-01-05T00:00Z"], ["2024-01-05T00:00Z"]));
    expect(figures(counted)).toEqual([
      ["1", "1"],
      ["1", "1"],
      ["1", "1"],
    ]);
    expect(counted.state).toEqual({ units: "3", maximum: "3", events: "3" });
  });
});

describe("sum in advance", () => {
  it.each([
    ["a decrease is not refunded, and free up to the maximum: 10, 0, 4", ["10", "-4", "8"], ["10", "0", "4"]],
    ["each increase is charged: 3, 1, 2", ["3", "1", "2"], ["3", "1", "2"]],
    ["transactions: 100, 1000, 10000", ["100", "1000", "10000"], ["100", "1000", "10000"]],
    ["packages: 19, 1, 2, 8, 1", ["19", "1", "2", "8", "1"], ["19", "1", "2", "8", "1"]],
    ["a total below zero is first filled up: 0, 3", ["-5", "8"], ["0", "3"]],
    ["back to the maximum exactly is free", ["5", "-5", "5", "0.5"], ["5", "0", "0", "0.5"]],
    ["nothing is nothing", ["0"], ["0"]],
  ])("%s", (_name, sent, charged) => {
    expect(figures(walk(SUM, values(...sent)))).toEqual(charged.map((units) => [units, units]));
  });

  it("keeps the total, the maximum and the number of events", () =>
    expect(walk(SUM, values("10", "-4", "2.5")).state).toEqual({ units: "8.5", maximum: "10", events: "3" }));

  it("an event without a number makes no fee and leaves the state", () => {
    const walked = walk(SUM, [...values("10", "1e3", "x"), ...events(["2024-01-05T00:00Z"])]);
    expect(figures(walked)).toEqual([["10", "10"], null, null, null]);
    expect(walked.state).toEqual({ units: "10", maximum: "10", events: "1" });
  });

  it("goes by acceptance, whatever the time of events: a late one is charged above what was accepted before", () => {
    const late = events(["2024-01-09T00:00Z", { v: "5" }], ["2024-01-02T00:00Z", { v: "3" }]);
    expect(figures(walk(SUM, late))).toEqual([
      ["5", "5"],
      ["3", "3"],
    ]);
  });

  it("of a recurring metric begins with the total that the renewal billed", () => {
    const start = startInAdvance(decimal("6"));
    expect(start).toEqual({ units: "6", maximum: "6", events: "0" });
    expect(figures(walk({ ...SUM, isRecurring: true }, values("-2", "3"), start))).toEqual([
      ["0", "0"],
      ["1", "1"],
    ]);
  });

  it("that begins below zero is charged only above zero", () => {
    const start = startInAdvance(decimal("-5"));
    expect(start).toEqual({ units: "-5", maximum: "0", events: "0" });
    expect(figures(walk({ ...SUM, isRecurring: true }, values("8"), start))).toEqual([["3", "3"]]);
  });
});

describe("unique count in advance", () => {
  it("re-adding is free and shows one unit; a repeated addition shows none", () => {
    const walked = walk(UNIQUE, turns("add A", "remove A", "add A", "add B", "add B"));
    expect(figures(walked)).toEqual([
      ["1", "1"],
      ["0", "0"],
      ["0", "1"],
      ["1", "1"],
      ["0", "0"],
    ]);
    expect(walked.state).toEqual({ units: "2", maximum: "2", events: "5" });
  });

  it("another value in place of a removed one is free", () =>
    expect(figures(walk(UNIQUE, turns("add A", "remove A", "add B", "add A")))).toEqual([
      ["1", "1"],
      ["0", "0"],
      ["0", "1"],
      ["1", "1"],
    ]));

  it("removing a missing value, and an unknown operation, change nothing", () => {
    const walked = walk(UNIQUE, turns("remove A", "delete A", "add A", "delete A"));
    expect(figures(walked)).toEqual([
      ["0", "0"],
      ["0", "0"],
      ["1", "1"],
      ["0", "0"],
    ]);
    expect(walked.steps.map((step) => step?.isActive)).toEqual([false, false, true, true]);
  });

  it("without the property makes no fee", () =>
    expect(figures(walk(UNIQUE, events(["2024-01-05T00:00Z", { operation_type: "add" }])))).toEqual([null]));

  it("of a recurring metric charges only what comes above the total that the renewal billed", () => {
    const january = walk(RECURRING_UNIQUE, turns("add A", "add B"));
    expect(figures(january)).toEqual([
      ["1", "1"],
      ["1", "1"],
    ]);
    const closing = aggregate(RECURRING_UNIQUE, turns("add A", "add B"), month("2024-01")).closing;
    expect(figures(walk(RECURRING_UNIQUE, turns("add C"), startInAdvance(closing)))).toEqual([["1", "1"]]);
  });
});

it.each([
  ["a sum by a number below zero", SUM, [{ v: "-1" }], [{ v: "1" }, { v: "0" }, { v: "-x" }, {}]],
  [
    "a unique count by a removal",
    UNIQUE,
    [{ v: "A", operation_type: "remove" }],
    [{ v: "A" }, { v: "-1", operation_type: "add" }],
  ],
  ["a count by nothing", COUNT, [], [{ v: "-1", operation_type: "remove" }]],
] as const)("a total is lowered: %s", (_name, aggregation, lowering, others) => {
  const answers = (list: readonly Readonly<Record<string, string>>[]) =>
    list.map((properties) => takesAway(aggregation, { at: month("2024-01").from, position: 1n, properties }));
  expect(answers(lowering)).not.toContain(false);
  expect(answers(others)).not.toContain(true);
});

describe("whatever the events", () => {
  const any = fc.array(
    fc.record({ v: fc.constantFrom("1", "2", "-3", "0.5", "junk"), operation_type: fc.constantFrom("add", "remove") }),
    { maxLength: 20 },
  );
  const sent = any.map((list) => events(...list.map((properties): Row => ["2024-01-05T00:00Z", properties])));
  const aggregations = fc.constantFrom<InAdvanceAggregation>(COUNT, SUM, UNIQUE);

  test("what is charged adds up to the highest total there was, and the total is that of the events", () =>
    fc.assert(
      fc.property(aggregations, sent, (aggregation, list) => {
        const { state, steps } = walk(aggregation, list);
        const charged = steps.reduce((sum, step) => sum.plus(step?.charged ?? decimal("0")), decimal("0"));
        const totals = list.map((_, index) => aggregate(aggregation, list.slice(0, index + 1), month("2024-01")).units);
        const highest = totals.reduce((best, total) => (total.gt(best) ? total : best), decimal("0"));
        expect([charged.toFixed(), state.maximum]).toEqual([highest.toFixed(), highest.toFixed()]);
        const whole = aggregate(aggregation, list, month("2024-01"));
        expect([state.units, state.events]).toEqual([whole.units.toFixed(), String(whole.eventsFolded)]);
      }),
    ));

  test("nothing charged is ever below zero", () =>
    fc.assert(
      fc.property(aggregations, sent, (aggregation, list) => {
        for (const step of walk(aggregation, list).steps)
          expect(step === null || step.charged.gte(decimal("0"))).toBe(true);
      }),
    ));
});
