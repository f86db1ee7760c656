// Properties of the fees of every bill, for any plan, lifecycle and usage.

import fc from "fast-check";
import { expect, test } from "vitest";
import { type Charge, isRecurring, type Plan, type Pricing } from "../catalog/index.ts";
import { decimal, sumMinor, ZERO } from "../money/index.ts";
import { Life, plan } from "../subscription/testing/life.ts";
import { type UsageEvent, unitsFrom } from "../usage/index.ts";
import { COUNT, chargeFilter, RECURRING_SUM, RECURRING_UNIQUE, SUM, UNIQUE } from "../usage/samples.ts";
import { type BillFee, type BillInput, billFeeFrom, feesOfBill } from "./index.ts";
import { atLeast, cents, charge, inputsOf, type Sent, standard } from "./testing/bills.ts";

const START = Temporal.Instant.from("2024-01-20T00:00:00Z");
const CODES = ["m0", "m1", "m2"];

const tiers = [
  { from: 0n, to: 3n, perUnit: decimal("0.333"), flat: decimal("1") },
  { from: 4n, to: null, perUnit: decimal("0.1"), flat: decimal("0.5") },
];
const PRICINGS: readonly Pricing[] = [
  standard("0.015"),
  { model: "graduated", tiers },
  { model: "volume", tiers },
  { model: "package", amount: decimal("1.5"), freeUnits: 1n, packageSize: 2n },
  {
    model: "percentage",
    rate: decimal("1.3"),
    fixedAmount: decimal("0.125"),
    freeEvents: 1n,
    freeUnits: null,
    perTransactionMin: null,
    perTransactionMax: decimal("2"),
  },
  { model: "graduated_percentage", tiers: [{ from: 0n, to: null, rate: decimal("33"), flat: decimal("0.01") }] },
];
const PRORATABLE = ["standard", "volume", "graduated"];

const timing = fc.oneof(
  fc.nat(2000).map(atLeast),
  fc.constantFrom("invoice_each", "no_invoice").map((invoicing) => ({ type: "in_advance", invoicing }) as const),
);

/** In whole cents and without days, so that plain numbers can add up a bill. */
const plainCharge = fc.record({
  aggregation: fc.constantFrom(COUNT, SUM, RECURRING_SUM),
  pricing: fc.constant(standard("0.03")),
  timing,
  isFiltered: fc.boolean(),
  groupedBy: fc.constant<string[]>([]),
  isProrated: fc.constant(false),
});

const anyCharge = fc
  .record({
    aggregation: fc.constantFrom(COUNT, SUM, RECURRING_SUM, UNIQUE, RECURRING_UNIQUE),
    pricing: fc.constantFrom(...PRICINGS),
    timing,
    isFiltered: fc.boolean(),
    groupedBy: fc.subarray(["user"]),
    isProrated: fc.boolean(),
  })
  .filter(({ pricing, timing }) => !(pricing.model === "volume" && timing.type === "in_advance"))
  .map((given) => {
    const { aggregation, pricing, timing, isProrated } = given;
    const isProratable = timing.type === "arrears" ? PRORATABLE.includes(pricing.model) : pricing.model === "standard";
    return { ...given, isProrated: isProrated && isProratable && isRecurring(aggregation) };
  });

type ChargeTerms = typeof anyCharge extends fc.Arbitrary<infer Value> ? Value : never;

const toCharge = ({ aggregation, pricing, isFiltered, groupedBy, ...terms }: ChargeTerms, index: number): Charge =>
  charge(CODES[index] ?? "", aggregation, {
    ...terms,
    price: { pricing, groupedBy },
    filters: isFiltered ? [chargeFilter(`us${index}`, { region: ["us"] }, groupedBy)] : [],
  });

const plans = (of: fc.Arbitrary<ChargeTerms>) =>
  fc
    .record({
      amount: fc.nat(100_000),
      isPaidInAdvance: fc.boolean(),
      interval: fc.constantFrom("monthly" as const, "quarterly" as const, "yearly" as const),
      trial: fc.constantFrom("0", "0", "9", "45"),
      commitment: fc.option(fc.nat(300_000)),
      charges: fc.array(of, { maxLength: CODES.length }),
    })
    .map(
      ({ amount, isPaidInAdvance, interval, trial, commitment, charges }): Plan =>
        plan(amount, {
          isPaidInAdvance,
          interval,
          areChargesMonthly: interval === "yearly",
          trialDays: decimal(trial),
          minimumCommitmentMinor: commitment === null ? null : cents(commitment),
          charges: charges.map(toCharge),
        }),
    );

const hoursLater = fc.nat(24 * 120).map((hours) => START.add({ hours }));
const sentEvents = fc
  .array(
    fc.record({
      code: fc.constantFrom(...CODES),
      at: hoursLater,
      properties: fc.record({
        v: fc.constantFrom("1", "2", "7", "-3"),
        region: fc.constantFrom("us", "eu"),
        user: fc.constantFrom("a", "b"),
        operation_type: fc.constantFrom("add", "add", "remove"),
      }),
    }),
    { maxLength: 25 },
  )
  .map((list): Sent => {
    const events = list.map(({ code, at, properties }, index) => ({ code, at, position: BigInt(index), properties }));
    return Object.fromEntries(CODES.map((code) => [code, events.filter((event) => event.code === code)]));
  });

type Billed = { readonly input: BillInput; readonly sent: Sent };

/** A subscription with a plan change, up or down, and an end: every bill of it, with some usage before. */
const lives = (of: fc.Arbitrary<ChargeTerms>) =>
  fc
    .record({
      first: plans(of),
      second: plans(of).map((given) => ({ ...given, code: "second" })),
      change: hoursLater,
      end: hoursLater,
      sent: sentEvents,
      usedBefore: fc.nat(20_000),
    })
    .map(({ first, second, change, end, sent, usedBefore }): Billed[] => {
      const life = new Life(START);
      life.subscribe(first);
      life.advance(change).subscribe(second);
      life.advance(change.add({ hours: START.until(end).total("hours") })).terminate();
      const inputs = inputsOf(life, [first, second], sent).flat();
      return inputs.map((input) => ({ input: { ...input, usedBeforeMinor: cents(usedBefore) }, sent }));
    });

const RUNS = { numRuns: 120 };
const holds = (of: fc.Arbitrary<ChargeTerms>, check: (fees: readonly BillFee[], billed: Billed) => void) =>
  fc.assert(
    fc.property(lives(of), (life) => {
      for (const billed of life) check(feesOfBill(billed.input), billed);
    }),
    RUNS,
  );

const throughJson = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value));

/** Of whole numbers from 0. */
const halfUp = (numerator: bigint, denominator: bigint): bigint => (2n * numerator + denominator) / (2n * denominator);
const atLeastZero = (value: bigint): bigint => (value < 0n ? 0n : value);

type Days = { readonly firstDay: Temporal.PlainDate; readonly lastDay: Temporal.PlainDate };

function countedDays({ firstDay, lastDay }: Days): bigint {
  let days = 0n;
  for (let day = firstDay; Temporal.PlainDate.compare(day, lastDay) <= 0; day = day.add({ days: 1 })) days++;
  return days;
}

/** The cost of events of a plain charge: 1.00 per unit in a filter, 0.03 elsewhere; never below 0. */
function plainCost({ metric, filters }: Charge, events: readonly UsageEvent[]): bigint {
  const isUs = ({ properties }: UsageEvent) => filters.length > 0 && properties.region === "us";
  const units = (some: readonly UsageEvent[]) =>
    some.reduce(
      (sum, { properties }) => sum + (metric.aggregation.type === "count" ? 1n : BigInt(properties.v ?? "")),
      0n,
    );
  const [us, others] = [events.filter(isUs), events.filter((event) => !isUs(event))];
  return 100n * atLeastZero(units(us)) + 3n * atLeastZero(units(others));
}

const isBefore = (one: Temporal.Instant, other: Temporal.Instant) => Temporal.Instant.compare(one, other) < 0;

function plainUsage({ bill: { charges: window, parts }, plan }: BillInput, sent: Sent): bigint {
  if (window === null) return 0n;
  return plan.charges.reduce((sum, of) => {
    const { timing, metric } = of;
    const isKept = isRecurring(metric.aggregation);
    const isLeft = parts?.[of.id]?.type === "left_out";
    if (timing.type !== "arrears" || isLeft) return sum;
    const seen = (sent[metric.code] ?? []).filter(
      ({ at }) => isBefore(at, window.to) && (isKept || !isBefore(at, window.from)),
    );
    const cost = plainCost(of, seen);
    const period = BigInt(window.periodDays);
    return sum + cost + halfUp(atLeastZero(timing.minAmountMinor * countedDays(window) - cost * period), period);
  }, 0n);
}

/** The sum of a bill of plain charges, in plain numbers. */
function plainSum(input: BillInput, sent: Sent): bigint {
  const { bill, plan, usedBeforeMinor } = input;
  const { fee, renewal, commitment } = bill;
  const base = fee ? halfUp(plan.amountMinor * (countedDays(fee) - BigInt(fee.freeDays)), BigInt(fee.periodDays)) : 0n;
  const usage = plainUsage(input, sent);
  const renewed = plan.charges
    .filter(({ timing, metric }) => renewal && timing.type === "in_advance" && isRecurring(metric.aggregation))
    .filter(({ id }) => bill.reason !== "starting" || bill.parts?.[id]?.type === "whole")
    .map((of) =>
      plainCost(
        of,
        (sent[of.metric.code] ?? []).filter(({ at }) => renewal && isBefore(at, renewal.from)),
      ),
    )
    .reduce((sum, cost) => sum + cost, 0n);
  const required =
    commitment && plan.minimumCommitmentMinor !== null
      ? halfUp(plan.minimumCommitmentMinor * countedDays(commitment), BigInt(commitment.periodDays))
      : 0n;
  const used = usedBeforeMinor + usage + (plan.isPaidInAdvance ? 0n : base);
  return base + usage + renewed + atLeastZero(required - used);
}

/** Parts of periods have their own test. */
const isOfWholePeriods = ({ bill }: BillInput): boolean =>
  Object.values(bill.parts ?? {}).every(({ type }) => type === "whole" || type === "left_out");

test("the fees add up to what plain numbers give", () =>
  holds(plainCharge, (fees, { input, sent }) => {
    if (!isOfWholePeriods(input)) return;
    expect(sumMinor(fees.map(({ amountMinor }) => amountMinor))).toBe(plainSum(input, sent));
  }));

test("no fee is below zero, and no key occurs twice", () =>
  holds(anyCharge, (fees) => {
    for (const { amountMinor, units, preciseAmountMinor } of fees) {
      expect(amountMinor >= 0n && units.gte(ZERO) && !preciseAmountMinor.isBelow(0n)).toBe(true);
    }
    expect(new Set(fees.map(({ key }) => key)).size).toBe(fees.length);
  }));

test("every amount can be recomputed from its derivation, after JSON", () =>
  holds(anyCharge, (fees) => {
    for (const { amountMinor, derivation, units } of fees) {
      const kept = throughJson(derivation);
      expect(kept).toEqual(derivation);
      expect(billFeeFrom(kept)).toBe(amountMinor);
      if (kept.type === "usage" || kept.type === "renewal") {
        const held = unitsFrom(kept.quantity);
        expect(units.toFixed()).toBe((held.lt(ZERO) ? ZERO : held).toFixed());
      }
    }
  }));

test("a fee of 0 is a subscription fee, or has events, or is the parent of a true-up on the bill", () =>
  holds(anyCharge, (fees) => {
    const parents = new Set(fees.flatMap(({ trueUpParentKey }) => trueUpParentKey ?? []));
    for (const { key, amountMinor, units, eventsCount } of fees) {
      const isNothing = amountMinor === 0n && (units.eq(ZERO) || eventsCount === null) && !eventsCount;
      expect(!isNothing || key === "subscription" || parents.has(key)).toBe(true);
    }
    const unfiltered = fees.filter(({ item, filterId }) => item.kind === "charge" && filterId === null);
    const keys = new Set(unfiltered.map(({ key }) => key));
    for (const parent of parents) expect(keys.has(parent)).toBe(true);
  }));

test("each fee lies in a window of its bill, and only renewals in the period that begins", () =>
  holds(anyCharge, (fees, { input: { bill } }) => {
    for (const { item, isRenewal, from, to } of fees) {
      const ofCharge = isRenewal ? bill.renewal : bill.charges;
      const window = { subscription: bill.fee, charge: ofCharge, commitment: bill.commitment }[item.kind];
      expect(`${from} ${to}`).toBe(`${window?.from} ${window?.to}`);
    }
  }));
