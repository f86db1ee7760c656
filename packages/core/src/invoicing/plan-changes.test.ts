// Over plan changes, every day of a recurring metric is billed once: each day is counted, and each amount matches its days.

import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import type { Charge, Plan } from "../catalog/index.ts";
import { Life, plan } from "../subscription/testing/life.ts";
import type { UsageEvent } from "../usage/index.ts";
import { RECURRING_SUM } from "../usage/samples.ts";
import { feesOfBill } from "./index.ts";
import { atLeast, type billInput, charge, inAdvance, inputsOf, standard } from "./testing/bills.ts";

/** A Monday and the first day of a year, so that periods of all intervals begin with it. */
const START = "2024-01-01T00:00:00Z";
const SEATS = 10n;

const INTERVALS = ["weekly", "monthly", "quarterly", "yearly"] as const;
type Terms = { interval: (typeof INTERVALS)[number]; isInAdvance: boolean; isProrated: boolean };

const planOf = ({ interval, isInAdvance, isProrated }: Terms, code: string, amount = 0): Plan => {
  const seats: Charge = charge("seats", RECURRING_SUM, {
    id: `seats of ${code}`,
    price: { pricing: standard("10"), groupedBy: [] },
    timing: isInAdvance ? inAdvance : atLeast(0),
    isProrated,
  });
  return plan(amount, { code, interval, charges: [seats] });
};

/** Before the first day begins in any zone. */
const SENT: readonly UsageEvent[] = [
  { at: Temporal.Instant.from("2023-12-30T00:00:00Z"), position: 1n, properties: { v: String(SEATS) } },
];

type Days = { readonly firstDay: Temporal.PlainDate; readonly lastDay: Temporal.PlainDate };

const daysOf = ({ firstDay, lastDay }: Days): string[] => {
  const days: string[] = [];
  for (let day = firstDay; Temporal.PlainDate.compare(day, lastDay) <= 0; day = day.add({ days: 1 }))
    days.push(`${day}`);
  return days;
};

type Input = ReturnType<typeof billInput>;
type Line = Life["invoices"][number]["lines"][number];

/** The days that the seats of a bill cover, by whether they are renewed, and the days of a full period. */
function daysBilled({ bill, of }: Line, { charges: [seats] }: Plan) {
  if (!seats) return [];
  const part = bill.parts?.[seats.id];
  const isInArrears = seats.timing.type === "arrears";
  if (isInArrears && bill.charges && part?.type !== "left_out" && part?.type !== "beyond_paid") {
    const natural = seats.isProrated ? bill.charges : of.open.charges;
    const days = part?.type === "days" ? part : natural;
    return [{ days: daysOf(days), periodDays: bill.charges.periodDays }];
  }
  if (isInArrears || !bill.renewal) return [];
  if (bill.reason !== "starting") return [{ days: daysOf(bill.renewal), periodDays: bill.renewal.periodDays }];
  if (part === undefined || part.type === "left_out") return [];
  return [{ days: daysOf(part.type === "days" ? part : bill.renewal), periodDays: bill.renewal.periodDays }];
}

/** How often each day was billed, less how often it was returned. Each fee is compared with its days. */
function countDays(life: Life, plans: readonly Plan[]): Map<string, number> {
  const counts = new Map<string, number>();
  const count = (days: readonly string[], times: number) => {
    for (const day of days) counts.set(day, (counts.get(day) ?? 0) + times);
  };
  const inputs: readonly Input[] = inputsOf(life, plans, { seats: SENT }).flat();
  const lines = life.invoices.flatMap((invoice) => invoice.lines);
  for (const [index, line] of lines.entries()) {
    const [input, of] = [inputs[index], plans.find(({ code }) => code === line.of.plan.code)];
    if (!input || !of) throw new Error("A line has an input and a plan.");
    const fees = feesOfBill(input).filter(({ chargeId }) => chargeId !== null);
    const billed = daysBilled(line, of);
    for (const { days } of billed) count(days, 1);
    for (const returned of line.bill.returned) count(daysOf(returned), -1);
    const cents = fees.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
    // 10 seats at 10.00. Units are rounded up at 5 decimals, which is less than a cent.
    const exact = billed.reduce((sum, { days, periodDays }) => sum + (10_000 * days.length) / periodDays, 0);
    expect(Math.abs(Number(cents) - exact)).toBeLessThanOrEqual(1);
  }
  return counts;
}

/** As if the seats had come at the first instant: in advance, that pays for the whole first period. */
const paidByEvent = (life: Life, { charges: [seats] }: Plan): string[] =>
  seats?.timing.type === "in_advance" ? daysOf(life.active().open.charges) : [];

/** Days that are not billed exactly once, up to the day before the last open period. */
function wrongDays(life: Life, plans: readonly Plan[], paid: readonly string[]): string[] {
  const counts = countDays(life, plans);
  for (const day of paid) counts.set(day, (counts.get(day) ?? 0) + 1);
  const { open, plan: current } = life.active();
  const last = plans.find(({ code }) => code === current.code)?.charges[0]?.timing.type;
  const until = last === "in_advance" ? open.charges.lastDay : open.charges.firstDay.subtract({ days: 1 });
  const first = Temporal.PlainDate.from("2024-01-01");
  const expected = daysOf({ firstDay: first, lastDay: until });
  const odd = [...counts]
    .filter(([day, times]) => times !== 0 && !expected.includes(day))
    .map(([day]) => `${day} early`);
  return [...expected.filter((day) => counts.get(day) !== 1).map((day) => `${day} ${counts.get(day) ?? 0}`), ...odd];
}

const KINDS = [false, true].flatMap((isInAdvance) => [false, true].map((isProrated) => ({ isInAdvance, isProrated })));
const named = ({ interval, isInAdvance, isProrated }: Terms) =>
  `${interval} ${isInAdvance ? "in advance" : "in arrears"}${isProrated ? " by days" : ""}`;

/** Inside a period, on the first day of a month, of a quarter, of a week, of a year, and in a week that two months share. */
const CHANGES = [
  "2024-01-15T10:00:00Z",
  "2024-03-14T00:00:00Z",
  "2024-04-01T09:00:00Z",
  "2024-02-05T00:00:00Z",
  "2025-01-01T00:00:01Z",
  "2024-05-31T23:59:59Z",
];

const LENGTHS = ["weekly", "monthly", "yearly"] as const;

const COMBINATIONS = LENGTHS.flatMap((from) =>
  LENGTHS.flatMap((to) =>
    KINDS.flatMap((old) => KINDS.map((next) => ({ old: { interval: from, ...old }, next: { interval: to, ...next } }))),
  ),
);

describe.each(CHANGES)("every day is billed once after an upgrade at %s", (change) => {
  it.each(COMBINATIONS.map(({ old, next }) => [`${named(old)} to ${named(next)}`, old, next] as const))(
    "%s",
    (_, before, after) => {
      const plans = [planOf(before, "old"), planOf(after, "new")] as const;
      const life = new Life(START);
      life.subscribe(plans[0]);
      const paid = paidByEvent(life, plans[0]);
      life.advance(change).subscribe(plans[1]);
      life.advance("2026-02-03T00:00:00Z");
      expect(wrongDays(life, plans, paid)).toEqual([]);
    },
  );
});

describe("every day is billed once after a downgrade", () => {
  it.each(COMBINATIONS.map(({ old, next }) => [`${named(old)} to ${named(next)}`, old, next] as const))(
    "%s",
    (_, before, after) => {
      const plans = [planOf(before, "old", 1_000_000), planOf(after, "new", 1)] as const;
      const life = new Life(START);
      life.subscribe(plans[0]);
      const paid = paidByEvent(life, plans[0]);
      expect(life.advance("2024-03-14T00:00:00Z").subscribe(plans[1])).toBe("downgrade_awaited");
      life.advance("2026-02-03T00:00:00Z");
      expect(wrongDays(life, plans, paid)).toEqual([]);
    },
  );
});

const terms: fc.Arbitrary<Terms> = fc.record({
  interval: fc.constantFrom(...INTERVALS),
  isInAdvance: fc.boolean(),
  isProrated: fc.boolean(),
});

/** A plan with a longer interval between two with shorter ones: the first may have billed days after the period of the last. */
const isHump = (chain: readonly (readonly [Terms, number])[]): boolean => {
  const sizes = chain.map(([{ interval }]) => INTERVALS.indexOf(interval));
  return sizes.some(
    (size, at) => sizes.slice(0, at).some((one) => one < size) && sizes.slice(at).some((one) => one < size),
  );
};

describe("a plan without the metric between two that charge it", () => {
  const withoutSeats = (interval: Terms["interval"]): Plan => plan(0, { code: "between", interval, charges: [] });
  const billedTwice = (life: Life, plans: readonly Plan[], paid: readonly string[]): string[] => {
    const counts = countDays(life, plans);
    for (const day of paid) counts.set(day, (counts.get(day) ?? 0) + 1);
    return [...counts].filter(([, times]) => times > 1).map(([day, times]) => `${day} ${times}`);
  };
  const liveThrough = (before: Terms, after: Terms, between: Terms["interval"], [first, second]: [string, string]) => {
    const plans = [planOf(before, "old"), withoutSeats(between), planOf(after, "new")] as const;
    const life = new Life(START);
    life.subscribe(plans[0]);
    const paid = paidByEvent(life, plans[0]);
    life.advance(first).subscribe(plans[1]);
    life.advance(second).subscribe(plans[2]);
    life.advance("2024-05-02T00:00:00Z");
    return billedTwice(life, plans, paid);
  };
  // What a charge in arrears billed whole is not returned when a shorter period follows.
  const possible = COMBINATIONS.filter(
    ({ old, next }) =>
      old.isInAdvance || old.isProrated || LENGTHS.indexOf(old.interval) <= LENGTHS.indexOf(next.interval),
  );

  it.each(possible.map(({ old, next }) => [`${named(old)} to ${named(next)}`, old, next] as const))(
    "no day is billed twice: %s",
    (_, before, after) => {
      for (const between of ["weekly", "monthly"] as const)
        for (const changes of [
          ["2024-01-10T10:00:00Z", "2024-01-20T10:00:00Z"],
          ["2024-02-05T00:00:00Z", "2024-02-06T00:00:00Z"],
        ] as [string, string][])
          expect(liveThrough(before, after, between, changes), `${between} ${changes}`).toEqual([]);
    },
  );
});

const quarterly = (isInAdvance: boolean, isProrated: boolean): Terms => ({
  interval: "quarterly",
  isInAdvance,
  isProrated,
});
/** A paid quarter that two plans in arrears leave out: what is paid after the first week of the last plan is returned. */
const PAID_TWO_PLANS_AGO: [Terms, number][] = [
  [quarterly(true, false), 0],
  [quarterly(false, false), 1],
  [quarterly(false, true), 0],
  [{ interval: "weekly", isInAdvance: false, isProrated: false }, 0],
];

test("every day is billed once, however often the plan changes", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(terms, fc.nat(24 * 60)), { minLength: 1, maxLength: 5 }),
      fc.boolean(),
      fc.constantFrom("UTC", "America/New_York", "Australia/Lord_Howe"),
      (chain, isAnniversary, timeZone) => {
        const plans = chain.map(([one], index) => planOf(one, `plan ${index}`));
        const [first, ...others] = plans;
        fc.pre(!isHump(chain));
        if (!first) return;
        const life = new Life(Temporal.PlainDate.from("2024-01-01").toZonedDateTime(timeZone).toInstant(), timeZone);
        life.subscribe(first, { billingTime: isAnniversary ? "anniversary" : "calendar" });
        const paid = paidByEvent(life, first);
        for (const [index, next] of others.entries()) {
          life.advance(life.now.add({ hours: chain[index]?.[1] ?? 0 })).subscribe(next);
        }
        life.advance(life.now.add({ hours: 24 * 500 }));
        expect(wrongDays(life, plans, paid)).toEqual([]);
      },
    ),
    { numRuns: 150, examples: [[PAID_TWO_PLANS_AGO, false, "UTC"]] },
  );
});
