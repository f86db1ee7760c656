// Properties of every subscription, with any upgrades, downgrades and end.

import fc from "fast-check";
import { expect, test } from "vitest";
import { decimal, type Fraction, fraction, sum } from "../money/index.ts";
import { BILLING_TIMES, countDays, dayOf, INTERVALS } from "../time/index.ts";
import { DUE_KINDS, daysOf } from "./index.ts";
import { Life, plan, shownInvoices } from "./testing/life.ts";

/** Zones whose clocks change at midnight or by half an hour, that are far from UTC, or that never change. */
const ZONES = [
  "UTC",
  "America/Havana",
  "Africa/Cairo",
  "Australia/Lord_Howe",
  "Pacific/Kiritimati",
  "America/New_York",
];

const APPROXIMATE_DAYS = { weekly: 7, monthly: 30, quarterly: 91, semiannual: 182, yearly: 365 };

const terms = fc.record({
  zone: fc.constantFrom(...ZONES),
  interval: fc.constantFrom(...INTERVALS),
  billingTime: fc.constantFrom(...BILLING_TIMES),
  amount: fc.nat(1_000_000),
  trial: fc.constantFrom("0", "0", "0.5", "10", "45"),
  areChargesMonthly: fc.boolean(),
  start: fc
    .integer({ min: 1_660_000_000, max: 1_760_000_000 })
    .map((second) => Temporal.Instant.fromEpochMilliseconds(second * 1000)),
  /** Whole hours, which often coincide with midnights and so with the ends of periods. */
  isAtMidnight: fc.boolean(),
  /** Parts of a subscription of three periods; the last part is its end. */
  cuts: fc
    .array(fc.integer({ min: 0, max: 1000 }), { minLength: 1, maxLength: 5 })
    .map((all) => all.toSorted((x, y) => x - y)),
});
type LifeTerms = typeof terms extends fc.Arbitrary<infer Value> ? Value : never;

function begun(given: LifeTerms): { start: Temporal.Instant; instants: Temporal.Instant[] } {
  const { zone, interval, isAtMidnight, cuts } = given;
  const onADay = (instant: Temporal.Instant) =>
    isAtMidnight ? instant.toZonedDateTimeISO(zone).startOfDay().toInstant() : instant;
  const start = onADay(given.start);
  const hours = (cut: number) => Math.floor((cut * APPROXIMATE_DAYS[interval] * 3 * 24) / 1000);
  return { start, instants: cuts.map((cut) => onADay(start.add({ hours: hours(cut) }))) };
}

const planOf = ({ interval, amount, trial, areChargesMonthly }: LifeTerms, code: string, isPaidInAdvance: boolean) =>
  plan(amount, {
    code,
    interval,
    isPaidInAdvance,
    trialDays: decimal(trial),
    areChargesMonthly: areChargesMonthly && (interval === "yearly" || interval === "semiannual"),
  });

/** A subscription that is upgraded to a plan of the same price at every instant but the last, at which it ends. */
function cutLife(given: LifeTerms, isPaidInAdvance: boolean, instants: readonly Temporal.Instant[]): Life {
  const life = new Life(begun(given).start, given.zone);
  life.subscribe(planOf(given, "0", isPaidInAdvance), { billingTime: given.billingTime });
  for (const [index, instant] of instants.entries()) {
    life.advance(instant);
    if (index === instants.length - 1) life.terminate();
    else expect(life.subscribe(planOf(given, String(index + 1), isPaidInAdvance))).toBe("upgraded");
  }
  return life;
}

/** Fees less credits, exact. */
const cost = ({ invoices }: Life): Fraction =>
  sum(
    invoices.flatMap(({ lines, credit }) => [
      ...lines.map(({ fee }) => fee?.amountMinor ?? 0n),
      fraction(0n).minus(credit?.creditMinor ?? 0n),
    ]),
  );

const RUNS = { numRuns: 300 };

test("each upgrade to an equal plan changes the total cost by at most a cent, because each part is rounded", () => {
  fc.assert(
    fc.property(terms, fc.boolean(), (given, isPaidInAdvance) => {
      const { instants } = begun(given);
      const difference = cost(cutLife(given, isPaidInAdvance, instants)).minus(
        cost(cutLife(given, isPaidInAdvance, instants.slice(-1))),
      );
      const limit = BigInt(instants.length - 1);
      // Credits are truncated to 5 decimals, which is less than a cent.
      const slack = decimal("0.001");
      expect(difference.isAbove(fraction(limit).plus(slack))).toBe(false);
      expect(difference.isBelow(fraction(-limit).minus(slack))).toBe(false);
    }),
    RUNS,
  );
});

test("the days of all fees in arrears are the days of the life, each once", () => {
  fc.assert(
    fc.property(terms, (given) => {
      const { start, instants } = begun(given);
      const life = cutLife(given, false, instants);
      const windows = life.invoices.flatMap(({ lines }) => lines.flatMap(({ bill }) => bill.fee ?? []));
      const lived = countDays(dayOf(start, given.zone), dayOf(life.now, given.zone));
      expect(windows.reduce((days, window) => days + daysOf(window), 0)).toBe(lived);
      for (const [index, window] of windows.entries()) {
        const next = windows[index + 1];
        if (next) expect(next.firstDay.toString()).toBe(window.lastDay.add({ days: 1 }).toString());
      }
    }),
    RUNS,
  );
});

test("every instant from start to end is in exactly one charges window, over upgrades and downgrades", () => {
  fc.assert(
    fc.property(terms, fc.boolean(), fc.array(fc.integer({ min: -1, max: 1 })), (given, isPaidInAdvance, steps) => {
      const { start, instants } = begun(given);
      const life = new Life(start, given.zone);
      life.subscribe(planOf(given, "0", isPaidInAdvance), { billingTime: given.billingTime });
      for (const [index, instant] of instants.entries()) {
        const amount = Math.max(0, given.amount + (steps[index] ?? 0) * (index + 1));
        life.advance(instant).subscribe(planOf({ ...given, amount }, String(index + 1), isPaidInAdvance));
      }
      life.advance(life.now.add({ hours: 24 * 40 })).terminate();
      const windows = life.invoices.flatMap(({ lines }) => lines.flatMap(({ bill }) => bill.charges ?? []));
      expect(windows[0]?.from.toString()).toBe(start.toString());
      expect(windows.at(-1)?.to.toString()).toBe(life.now.toString());
      for (const [index, window] of windows.entries()) {
        expect(Temporal.Instant.compare(window.from, window.to)).toBe(-1);
        const next = windows[index + 1];
        if (next) expect(next.from.toString()).toBe(window.to.toString());
      }
    }),
    RUNS,
  );
});

test("what is due is taken in strict order, and each period's end once, in one step or in many", () => {
  fc.assert(
    fc.property(terms, fc.boolean(), fc.nat(400), (given, isPaidInAdvance, endsIn) => {
      const { start, instants } = begun(given);
      const endingAt = endsIn < 2 ? null : start.add({ hours: 24 * endsIn });
      const live = (steps: readonly Temporal.Instant[]) => {
        const life = new Life(start, given.zone);
        life.subscribe(planOf(given, "0", isPaidInAdvance), { billingTime: given.billingTime, endingAt });
        for (const step of steps) life.advance(step);
        return life;
      };
      const life = live(instants);
      const places = life.taken.map(({ kind, at }) => ({ at, rank: DUE_KINDS.indexOf(kind) }));
      for (const [index, { at, rank }] of places.entries()) {
        const next = places[index + 1];
        if (next) expect(Temporal.Instant.compare(at, next.at) || rank - next.rank).toBeLessThan(0);
      }
      expect(shownInvoices(live(instants.slice(-1)))).toEqual(shownInvoices(life));
    }),
    RUNS,
  );
});
