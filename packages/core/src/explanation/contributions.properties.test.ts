// For any charge and any events, the contributions and the named lines add up to the fee exactly.
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Aggregation, type Charge, isRecurring, type Price, type Pricing } from "../catalog/index.ts";
import type { UsageFeeDerivation } from "../invoicing/index.ts";
import { currency, decimal, exactText, inMajorUnits, minor, NOTHING, readExact, sum } from "../money/index.ts";
import { type BucketFee, chargedAtStart, feeSoFar, inAdvanceTerms, isBillable, rateBuckets } from "../rating/index.ts";
import {
  type Bucket,
  eventsSeen,
  filterFor,
  groupKey,
  groupOf,
  isBefore,
  splitUsage,
  startInAdvance,
  turns,
  type UsageEvent,
  type UsageWindow,
  unitsFrom,
} from "../usage/index.ts";
import {
  COUNT,
  chargeFilter,
  daysWindow,
  LATEST,
  MAX,
  month,
  RECURRING_SUM,
  RECURRING_UNIQUE,
  RECURRING_WEIGHTED,
  SUM,
  UNIQUE,
  WEIGHTED,
} from "../usage/samples.ts";
import { contributionsOf, createWalker, type ExplainedFee, needsAllEvents, usageLines, type Walk } from "./index.ts";

const EUR = currency("EUR");
const AGGREGATIONS = [
  COUNT,
  SUM,
  RECURRING_SUM,
  MAX,
  LATEST,
  UNIQUE,
  RECURRING_UNIQUE,
  WEIGHTED,
  RECURRING_WEIGHTED,
] as const satisfies Aggregation[];

const tiers = [
  { from: 0n, to: 2n, perUnit: decimal("0.333"), flat: decimal("1") },
  { from: 3n, to: 7n, perUnit: decimal("0"), flat: decimal("0.25") },
  { from: 8n, to: null, perUnit: decimal("0.1"), flat: decimal("7") },
];

const pricing: fc.Arbitrary<Pricing> = fc.oneof(
  fc.constantFrom("0.015", "0", "12").map((amount) => ({ model: "standard" as const, amount: decimal(amount) })),
  fc.constantFrom("graduated" as const, "volume" as const).map((model) => ({ model, tiers })),
  fc.record({
    model: fc.constant("package" as const),
    amount: fc.constant(decimal("1.5")),
    freeUnits: fc.constantFrom(0n, 3n),
    packageSize: fc.constantFrom(1n, 4n),
  }),
  fc.record({
    model: fc.constant("percentage" as const),
    rate: fc.constantFrom(decimal("1.3"), decimal("0")),
    fixedAmount: fc.constantFrom(decimal("0"), decimal("0.125")),
    freeEvents: fc.constantFrom(null, null, 1n, 3n),
    freeUnits: fc.constantFrom(null, null, decimal("0"), decimal("2.5")),
    perTransactionMin: fc.constantFrom(null, null, decimal("0.1")),
    perTransactionMax: fc.constantFrom(null, null, decimal("0.2")),
  }),
  fc.constant({
    model: "graduated_percentage" as const,
    tiers: [
      { from: 0n, to: 5n, rate: decimal("33"), flat: decimal("0.01") },
      { from: 6n, to: null, rate: decimal("1"), flat: decimal("2") },
    ],
  }),
);

const windows: readonly UsageWindow[] = [
  month("2024-03"),
  month("2024-10", { timeZone: "Europe/Paris" }),
  daysWindow("2024-03-10", "2024-03-19", { periodDays: 31 }),
  // An upgrade took effect on the last day.
  daysWindow("2024-03-10", "2024-03-19", { periodDays: 31, lastDay: Temporal.PlainDate.from("2024-03-18") }),
];

const priceOf = (own: Pricing): fc.Arbitrary<Price> =>
  fc.record({ pricing: fc.constant(own), groupedBy: fc.subarray(["user"]) });

const PRORATABLE = ["standard", "volume", "graduated"];
const RENEWABLE = ["sum", "unique_count"];

const charges = fc
  .record({
    aggregation: fc.constantFrom(...AGGREGATIONS),
    own: pricing,
    request: fc.boolean(),
    isFiltered: fc.boolean(),
  })
  .chain(({ aggregation, own, request, isFiltered }) =>
    priceOf(own).map((price): Charge => {
      const isProratable = isRecurring(aggregation) && aggregation.type !== "weighted_sum";
      return {
        id: "charge",
        metric: { code: "metric", aggregation, filters: [{ key: "region", values: ["us", "eu"] }] },
        price,
        filters: isFiltered ? [{ ...chargeFilter("us", { region: ["us"] }), price }] : [],
        timing: { type: "arrears", minAmountMinor: minor(0n) },
        isProrated: request && isProratable && PRORATABLE.includes(own.model),
      };
    }),
  );

const eventsAround = ({ from, to }: UsageWindow): fc.Arbitrary<UsageEvent[]> =>
  fc
    .array(
      fc.record({
        // Few instants, so that many events share one; some lie before the window.
        at: fc.integer({ min: -40, max: 40 }).map((step) => {
          const length = (to.epochNanoseconds - from.epochNanoseconds) / 40n;
          return Temporal.Instant.fromEpochNanoseconds(from.epochNanoseconds + BigInt(step) * length);
        }),
        properties: fc.record(
          {
            v: fc.constantFrom("1", "2", "7", "-3", "0.1", "x", "-12", "4.123456789"),
            region: fc.constantFrom("us", "eu", "mars"),
            user: fc.constantFrom("a", "b"),
            operation_type: fc.constantFrom("add", "add", "remove"),
          },
          { requiredKeys: ["region", "user"] },
        ),
      }),
      { maxLength: 24 },
    )
    .map((list) => list.map((event, index) => ({ ...event, position: BigInt(index + 1) })));

const cases = fc
  .record({
    charge: charges,
    window: fc.constantFrom(...windows),
    cuts: fc.array(fc.nat(6), { minLength: 1, maxLength: 5 }),
  })
  .chain((given) => eventsAround(given.window).map((events) => ({ ...given, events })));

type Explained = { readonly fee: ExplainedFee; readonly events: readonly UsageEvent[] };

/** Every fee of the charge on a bill, with the events of its bucket. */
function explained(charge: Charge, events: readonly UsageEvent[], window: UsageWindow): Explained[] {
  const buckets = splitUsage(charge, events, window);
  const used = rateBuckets(charge, buckets, { window, currency: EUR });
  const of = (type: UsageFeeDerivation["type"], bucket: Bucket, { derivation }: Pick<BucketFee, "derivation">) => ({
    fee: {
      aggregation: charge.metric.aggregation,
      pricing: (bucket.filter?.price ?? charge.price).pricing,
      isProrated: charge.isProrated,
      derivation: JSON.parse(JSON.stringify({ type, quantity: bucket.derivation, fee: derivation })),
    },
    events: events.filter(
      (event) =>
        filterFor(charge, event) === bucket.filter &&
        groupKey(groupOf((bucket.filter?.price ?? charge.price).groupedBy, event)) === groupKey(bucket.group),
    ),
  });
  const usage = buckets.flatMap((bucket, index) => {
    const fee = used[index];
    return fee && isBillable(fee) ? [of("usage", bucket, fee)] : [];
  });
  const { aggregation } = charge.metric;
  if (!isRecurring(aggregation) || !RENEWABLE.includes(aggregation.type) || charge.price.pricing.model === "volume") {
    return usage;
  }
  const renewed = buckets.map((bucket) => {
    const terms = inAdvanceTerms(charge, bucket.filter, { window, currency: EUR });
    const { units, eventsCount } = bucket.quantity;
    const tally = { usage: startInAdvance(units), soFar: chargedAtStart(terms.pricing, units) };
    return of("renewal", bucket, feeSoFar({ ...terms, isProrated: false }, tally, eventsCount));
  });
  return [...usage, ...renewed];
}

const inOrder = ({ fee, events }: Explained, window: UsageWindow) => eventsSeen(fee.aggregation, events, window);

/** The contributions of a walk that was saved and resumed after each of the pages. */
function walkInPages({ fee, events }: Explained, window: UsageWindow, cuts: readonly number[]) {
  const seen = inOrder({ fee, events }, window);
  const left = seen.filter((event) => !isBefore(event, window));
  const isInUse = valuesInUse(fee, seen);
  const amounts: string[] = [];
  let stored = JSON.stringify(createWalker(fee).start);
  for (let page = 0; left.length > 0; page++) {
    const { next } = createWalker(fee);
    let walk: Walk = JSON.parse(stored);
    for (const event of left.splice(0, 1 + (cuts[page % cuts.length] ?? 0))) {
      const step = next(walk, event, isInUse(event));
      walk = step.walk;
      amounts.push(exactText(step.contribution.amount));
    }
    stored = JSON.stringify(walk);
  }
  return { amounts, walk: JSON.parse(stored) as Walk };
}

/** For a unique count, whether the value of an event was in use before it. A caller stores it or looks it up. */
function valuesInUse({ aggregation }: ExplainedFee, seen: readonly UsageEvent[]): (event: UsageEvent) => boolean {
  if (aggregation.type !== "unique_count") return () => false;
  const turned = turns(aggregation.field, seen);
  return (event) => {
    const index = turned.findIndex((one) => one.event === event);
    const before = turned.slice(0, index).filter(({ value }) => value === turned[index]?.value);
    return before.reduce((sum, { turn }) => sum + turn, 0) > 0;
  };
}

/** A busy machine needs more time. */
const TIMEOUT = { timeout: 120_000 };
const RUNS = { numRuns: 300 };

test("events and named lines are the fee, exactly, for every metric and price", TIMEOUT, () =>
  fc.assert(
    fc.property(cases, ({ charge, window, events }) => {
      for (const { fee, events: own } of explained(charge, events, window)) {
        const all = contributionsOf(fee, own);
        const lines = usageLines(fee, needsAllEvents(fee) ? all : null);
        const amount = inMajorUnits(minor(BigInt(fee.derivation.fee.amountMinor)), EUR);
        expect(exactText(sum(lines.map((line) => line.amount)))).toBe(exactText(amount));
        const ofEvents = lines.find(({ name }) => name === "events")?.amount ?? NOTHING;
        const contributed = sum(all.events.map(({ contribution }) => contribution.amount));
        expect(exactText(contributed)).toBe(exactText(ofEvents));
        const carried = lines.find(({ name }) => name === "carried_over")?.amount ?? NOTHING;
        expect(exactText(all.carried)).toBe(exactText(carried));
      }
    }),
    RUNS,
  ),
);

test("a walk gives the same results with any pages, and ends with the total of all events", TIMEOUT, () =>
  fc.assert(
    fc.property(cases, ({ charge, window, events, cuts }) => {
      for (const one of explained(charge, events, window)) {
        if (needsAllEvents(one.fee)) continue;
        const whole = contributionsOf(one.fee, one.events);
        const { amounts, walk } = walkInPages(one, window, cuts);
        expect(amounts).toEqual(whole.events.map(({ contribution }) => exactText(contribution.amount)));
        const lines = usageLines(one.fee, null);
        const expected = sum(
          lines.filter(({ name }) => name === "events" || name === "carried_over").map(({ amount }) => amount),
        );
        expect(exactText(readExact(walk.amount))).toBe(exactText(expected));
      }
    }),
    RUNS,
  ),
);

test("units are rounded only if they are weighed, and the floor of zero applies only to negative totals", TIMEOUT, () =>
  fc.assert(
    fc.property(cases, ({ charge, window, events }) => {
      for (const { fee, events: own } of explained(charge, events, window)) {
        const lines = usageLines(fee, needsAllEvents(fee) ? contributionsOf(fee, own) : null);
        const names = lines.map(({ name }) => name);
        if (names.includes("units_rounding")) {
          expect(fee.isProrated || fee.aggregation.type === "weighted_sum").toBe(true);
        }
        if (names.includes("not_below_zero")) {
          expect(unitsFrom(fee.derivation.quantity).lt("0") || fee.isProrated).toBe(true);
        }
        if (names.includes("flat_amount")) expect(fee.pricing.model).toBe("volume");
        if (names.includes("carried_over")) expect(isRecurring(fee.aggregation)).toBe(true);
        const rounding = lines.find(({ name }) => name === "rounding")?.amount ?? NOTHING;
        expect(rounding.isAbove(decimal("0.005")) || rounding.isBelow(decimal("-0.005"))).toBe(false);
      }
    }),
    RUNS,
  ),
);
