/** Random terms of a life, from a seed: plans, customer, and what happens in each period. */
import fc from "fast-check";
import { type Catalog, validPlan } from "../random-plans/plan-cases.ts";
import type { Members } from "../served-api.ts";

export type Sent = {
  metric: number;
  value: string;
  properties: Members /** Where in the period, in thousandths. */;
  at: number;
};

export type PeriodCase = {
  events: readonly Sent[];
  /** Where the clock stops on its way, in thousandths of what is left; there the second half of the events comes. */
  stop: number | null;
  change: "none" | "plan" | "amount";
};

export type LifeCase = {
  plans: readonly [Members, Members];
  now: string;
  timezone: string;
  billingTime: "calendar" | "anniversary";
  backdatedDays: number | null;
  taxCodes: readonly string[];
  netPaymentTerm: number;
  periods: readonly PeriodCase[];
  isTerminated: boolean;
};

const ZONES = ["UTC", "Europe/Berlin", "America/Havana", "Asia/Kathmandu", "Pacific/Kiritimati"];
const INSTANTS = ["2024-01-01T00:00:00Z", "2024-01-31T10:00:00Z", "2024-02-28T22:30:00Z", "2023-10-29T00:30:00Z"];
const PERIODS_MAX = 4;
const EVENTS_MAX = 8;

const sent = (metrics: number): fc.Arbitrary<Sent> =>
  fc.record({
    metric: fc.nat({ max: metrics - 1 }),
    value: fc.constantFrom("1", "2", "3.5", "12", "0.25", "100", "7"),
    properties: fc.record(
      {
        region: fc.constantFrom("eu", "us", "asia"),
        tier: fc.constantFrom("gold", "silver", "1"),
        workspace: fc.constantFrom("a", "b"),
        operation_type: fc.constantFrom("add", "remove"),
      },
      { requiredKeys: [], noNullPrototype: true },
    ),
    at: fc.nat({ max: 999 }),
  });

/** One currency, and amounts that people would pay. */
const plan = (catalog: Catalog): fc.Arbitrary<Members> =>
  fc
    .tuple(validPlan(catalog), fc.nat({ max: 100_000 }), fc.constantFrom(null, null, 0, 3, 20))
    .map(([members, cents, trial]) => ({
      ...members,
      amount_cents: cents,
      amount_currency: "EUR",
      trial_period: trial,
    }));

export const lifeCase = (catalog: Catalog): fc.Arbitrary<LifeCase> =>
  fc.record({
    plans: fc.tuple(plan(catalog), plan(catalog)),
    now: fc.constantFrom(...INSTANTS),
    timezone: fc.constantFrom(...ZONES),
    billingTime: fc.constantFrom("calendar", "anniversary"),
    backdatedDays: fc.option(fc.integer({ min: 1, max: 40 }), { freq: 2 }),
    taxCodes: fc.subarray([...catalog.taxCodes]),
    netPaymentTerm: fc.constantFrom(0, 7, 30),
    periods: fc.array(
      fc.record({
        events: fc.array(sent(catalog.metrics.length), { maxLength: EVENTS_MAX }),
        stop: fc.option(fc.nat({ max: 999 }), { freq: 3 }),
        change: fc.constantFrom("none", "none", "none", "plan", "amount"),
      }),
      { minLength: 1, maxLength: PERIODS_MAX },
    ),
    isTerminated: fc.boolean(),
  });
