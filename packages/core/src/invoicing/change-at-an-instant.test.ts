// Seats that are sent at the exact instant of a plan change: those accepted before the change are billed as earlier events, and those
// accepted after it as later events.

import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import type { Charge, Plan } from "../catalog/index.ts";
import { at, Life, plan } from "../subscription/testing/life.ts";
import { settleAt, type UsageEvent } from "../usage/index.ts";
import { RECURRING_SUM, RECURRING_UNIQUE } from "../usage/samples.ts";
import { atLeast, charge, inAdvance, shownLife, standard } from "./testing/bills.ts";

const INTERVALS = ["weekly", "monthly", "yearly"] as const;
type Terms = { interval: (typeof INTERVALS)[number]; isInAdvance: boolean; isProrated: boolean };

const METRICS = { sum: RECURRING_SUM, unique: RECURRING_UNIQUE } as const;
type Metric = keyof typeof METRICS;

const seatsOf = ({ isInAdvance, isProrated }: Terms, code: string, metric: Metric): Charge =>
  charge("seats", METRICS[metric], {
    id: `seats of ${code}`,
    price: { pricing: standard("10"), groupedBy: [] },
    timing: isInAdvance ? inAdvance : atLeast(0),
    isProrated,
  });

const planOf = (terms: Terms | null, code: string, metric: Metric): Plan =>
  plan(0, { code, interval: terms?.interval ?? "monthly", charges: terms ? [seatsOf(terms, code, metric)] : [] });

const TERMS: readonly Terms[] = INTERVALS.flatMap((interval) =>
  [false, true].flatMap((isInAdvance) => [false, true].map((isProrated) => ({ interval, isInAdvance, isProrated }))),
);
const named = ({ interval, isInAdvance, isProrated }: Terms) =>
  `${interval} ${isInAdvance ? "in advance" : "in arrears"}${isProrated ? " by days" : ""}`;

const CHANGE = at("2024-01-15T10:00:00Z");

/** An added seat is a new value; a removed seat is the first value. */
const event = (when: Temporal.Instant, position: bigint, seats: number, metric: Metric): UsageEvent => {
  const operation = { v: seats > 0 ? `seat ${position}` : "seat 1", operation_type: seats > 0 ? "add" : "remove" };
  return { at: when, position, properties: metric === "unique" ? operation : { v: String(seats) } };
};

/** Ten seats or one existed. `before` was accepted before the change, `after` after it. If they have their own instant, they count then. */
const sentAround = (metric: Metric, [before, after]: readonly [number, number], moments = [CHANGE, CHANGE]) => ({
  seats: [
    event(at("2024-01-02T00:00:00Z"), 1n, metric === "sum" ? 10 : 1, metric),
    event(moments[0] ?? CHANGE, 2n, before, metric),
    event(moments[1] ?? CHANGE, 3n, after, metric),
  ],
});

function liveOn(plans: readonly Plan[], changes: readonly Temporal.Instant[], accepted: readonly string[] | null) {
  const life = new Life("2024-01-01T00:00:00Z");
  const [first, ...others] = plans;
  if (first) life.subscribe(first);
  for (const [index, next] of others.entries()) {
    life.accepted = index === 0 ? accepted : null;
    life.advance(changes[index] ?? CHANGE).subscribe(next);
  }
  return life.advance("2024-03-02T00:00:00Z");
}

const SECOND = { seconds: 1 };
const AROUND = [CHANGE.subtract(SECOND), CHANGE.add(SECOND)];

describe("seats that are sent when the plan changes", () => {
  it.each(TERMS.flatMap((old) => TERMS.map((next) => [`${named(old)} to ${named(next)}`, old, next] as const)))(
    "are billed by their order of acceptance: %s",
    (_, old, next) => {
      const plans = [planOf(old, "old", "sum"), planOf(next, "new", "sum")];
      for (const seats of [
        [5, 3],
        [-1, 3],
      ] as const) {
        const published = shownLife(liveOn(plans, [CHANGE], ["2"]), plans, sentAround("sum", seats));
        const expected = shownLife(liveOn(plans, [CHANGE], null), plans, sentAround("sum", seats, AROUND));
        expect(published, String(seats)).toEqual(expected);
      }
    },
  );
});

test("whatever follows the change, seats at its instant are billed as if they had come before it or after it", () => {
  const terms = fc.constantFrom(...TERMS);
  fc.assert(
    fc.property(
      fc.constantFrom<Metric>("sum", "unique"),
      fc.array(fc.option(terms), { minLength: 2, maxLength: 4 }),
      fc.tuple(fc.integer({ min: -3, max: 5 }), fc.integer({ min: -3, max: 5 })),
      fc.integer({ min: 1, max: 30 }),
      (metric, chain, seats, days) => {
        // A value that is removed at the instant counts on that day, like one that is removed later on it.
        fc.pre(metric === "sum" || seats[0] > 0);
        const plans = chain.map((one, index) => planOf(one, `plan ${index}`, metric));
        const changes = chain.map((_, index) => CHANGE.add({ hours: index * days * 24 }));
        const reported = shownLife(liveOn(plans, changes, ["2"]), plans, sentAround(metric, seats));
        const requested = shownLife(liveOn(plans, changes, null), plans, sentAround(metric, seats, AROUND));
        expect(reported).toEqual(requested);
      },
    ),
    { numRuns: 100 },
  );
});

test("only events at the instant itself are moved, and only those that were accepted before it", () => {
  const sent = [
    event(CHANGE.subtract({ nanoseconds: 1 }), 5n, 1, "sum"),
    event(CHANGE, 1n, 1, "sum"),
    event(CHANGE, 2n, 1, "sum"),
    event(CHANGE.add({ nanoseconds: 1 }), 1n, 1, "sum"),
  ];
  const settled = settleAt(sent, CHANGE, ({ position }) => position <= 1n);
  expect(settled.map(({ at: when }) => CHANGE.until(when).nanoseconds)).toEqual([-1, -1, 0, 1]);
});
