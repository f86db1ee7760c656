/** The API form of a record reads back as the same record, and no JSON value breaks a check. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { CURRENCY_CODES } from "../money/currency.ts";
import { decimal } from "../money/index.ts";
import { INTERVALS } from "../time/index.ts";
import { addOnMembers } from "./add-on.ts";
import { couponMembers } from "./coupon.ts";
import {
  ALL_FILTER_VALUES,
  CHARGE_MODELS,
  type Coupon,
  chargeMembers,
  couponAfterUpdate,
  type Faults,
  type Members,
  type Metric,
  metricAfterUpdate,
  metricMembers,
  overrideCoupon,
  overridePlan,
  type Pricing,
  parseAddOn,
  parseCoupon,
  parseMetric,
  parsePlan,
  planAfterUpdate,
  planMembers,
  type Result,
} from "./index.ts";
import { parseCharge } from "./parse-charge.ts";
import { parsePricing, toPricingProperties } from "./pricing-properties.ts";

const now = Temporal.Instant.from("2026-11-01T00:00:00Z");
const runs = { numRuns: 100 };

/** The JSON that a client gets. */
const throughJson = (members: Members): Members => JSON.parse(JSON.stringify(members));

const digits = (max: number) => fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 1, maxLength: max });
const decimalText = fc.oneof(
  digits(40),
  fc.tuple(digits(40), digits(40)).map(([whole, part]) => `${whole}.${part}`),
);
const price = decimalText.map(decimal);
const whole = (min: number) => fc.integer({ min, max: Number.MAX_SAFE_INTEGER });
const wholeUnits = (min: number) => whole(min).map(BigInt);
const word = fc.string({ minLength: 1, maxLength: 20 }).filter((text) => text.trim() !== "");
const label = fc.option(word);
const groupedBy = fc.uniqueArray(word, { maxLength: 3 });

/** Bounds from 0 on that join or touch. */
const bounds = (steps: readonly bigint[]) =>
  fc
    .array(fc.tuple(fc.integer({ min: 1, max: 1e6 }).map(BigInt), fc.constantFrom(...steps)), { maxLength: 5 })
    .map((widths) => {
      let from = 0n;
      const joined = widths.map(([width, step]) => {
        const range = { from, to: from + width };
        from = range.to + step;
        return range;
      });
      return [...joined, { from, to: null }];
    });
const tiers = (steps: readonly bigint[]) =>
  bounds(steps).chain((ranges) =>
    fc.tuple(
      ...ranges.map((range) =>
        fc.record({ from: fc.constant(range.from), to: fc.constant(range.to), perUnit: price, flat: price }),
      ),
    ),
  );
const shareTiers = bounds([1n]).chain((ranges) =>
  fc.tuple(
    ...ranges.map((range) =>
      fc.record({ from: fc.constant(range.from), to: fc.constant(range.to), rate: price, flat: price }),
    ),
  ),
);

const pricing: fc.Arbitrary<Pricing> = fc.oneof(
  fc.record({ model: fc.constant("standard" as const), amount: price }),
  fc.record({ model: fc.constant("graduated" as const), tiers: tiers([0n, 1n]) }),
  fc.record({ model: fc.constant("volume" as const), tiers: tiers([1n]) }),
  fc.record({
    model: fc.constant("package" as const),
    amount: price,
    freeUnits: wholeUnits(0),
    packageSize: wholeUnits(1),
  }),
  fc.record({ model: fc.constant("graduated_percentage" as const), tiers: shareTiers }),
  fc
    .record({
      rate: price,
      fixedAmount: price,
      freeEvents: fc.option(wholeUnits(1)),
      freeUnits: fc.option(price),
      least: fc.option(price),
      most: fc.option(price),
    })
    .map(({ least, most, ...percentage }) => {
      const isTurned = least !== null && most?.lt(least);
      return {
        model: "percentage" as const,
        ...percentage,
        perTransactionMin: isTurned ? most : least,
        perTransactionMax: isTurned ? least : most,
      };
    }),
);

const metricInput = fc.record({
  name: word,
  code: word,
  description: label,
  aggregation_type: fc.constantFrom(
    "count_agg",
    "sum_agg",
    "max_agg",
    "unique_count_agg",
    "latest_agg",
    "weighted_sum_agg",
  ),
  field_name: word,
  recurring: fc.boolean(),
  weighted_interval: fc.constant("seconds"),
  filters: fc.uniqueArray(fc.record({ key: word, values: fc.array(word, { minLength: 1, maxLength: 3 }) }), {
    maxLength: 3,
    selector: ({ key }) => key,
  }),
});

const dimensions = [{ key: "region", values: ["eu", "us"] }];
const metrics = new Map<string, Metric>([
  ["sum", { code: "sum", aggregation: { type: "sum", field: "v", isRecurring: false }, filters: dimensions }],
  ["seats", { code: "seats", aggregation: { type: "unique_count", field: "v", isRecurring: true }, filters: [] }],
  ["peak", { code: "peak", aggregation: { type: "max", field: "v" }, filters: dimensions }],
]);

const filter = fc.record({
  values: fc.constantFrom({ region: ["us"] }, { region: ["us", "eu"] }, { region: [ALL_FILTER_VALUES] }),
  invoice_display_name: label,
});

const flags = [false, true];
/** All ways of billing a charge. Each model allows some of them. */
const billings = [...metrics.keys()].flatMap((billable_metric_id) =>
  flags.flatMap((pay_in_advance) =>
    flags.flatMap((invoiceable) =>
      flags.flatMap((prorated) =>
        ["invoice", null].flatMap((regroup_paid_fees) =>
          [0, 5].map((min_amount_cents) => ({
            billable_metric_id,
            pay_in_advance,
            invoiceable,
            prorated,
            regroup_paid_fees,
            min_amount_cents,
          })),
        ),
      ),
    ),
  ),
);
const billingsOf = Object.fromEntries(
  CHARGE_MODELS.map((charge_model) => [
    charge_model,
    billings.filter((billing) => parseCharge({ charge_model, ...billing }, metrics).ok),
  ]),
);

const charge = fc.tuple(pricing, groupedBy).chain(([pricing, groupedBy]) =>
  fc.constantFrom(...(billingsOf[pricing.model] ?? [])).chain((billing) =>
    fc.record({
      ...Object.fromEntries(Object.entries(billing).map(([name, value]) => [name, fc.constant(value)])),
      charge_model: fc.constant(pricing.model),
      properties: fc.constant(toPricingProperties(pricing, groupedBy)),
      filters: fc.array(filter, { maxLength: billing.billable_metric_id === "seats" ? 0 : 2 }),
      invoice_display_name: label,
      tax_codes: groupedBy.length === 0 ? fc.constant(null) : fc.constant(groupedBy),
    }),
  ),
);

const planInput = fc.record({
  name: word,
  code: word,
  description: label,
  invoice_display_name: label,
  interval: fc.constantFrom(...INTERVALS),
  amount_cents: whole(0),
  amount_currency: fc.constantFrom(...CURRENCY_CODES),
  pay_in_advance: fc.boolean(),
  trial_period: fc.oneof(fc.nat(36_500), fc.double({ min: 0, max: 36_500, noNaN: true })),
  bill_charges_monthly: fc.option(fc.boolean()),
  tax_codes: groupedBy,
  minimum_commitment: fc.option(
    fc.record({ amount_cents: whole(1), invoice_display_name: label, tax_codes: groupedBy }),
  ),
  charges: fc.array(charge, { maxLength: 2 }),
});

const couponInput = fc.record({
  name: word,
  code: word,
  description: label,
  coupon_type: fc.constantFrom("fixed_amount", "percentage"),
  amount_cents: whole(1),
  amount_currency: fc.constantFrom(...CURRENCY_CODES),
  percentage_rate: fc
    .tuple(fc.integer({ min: 1, max: 999 }), fc.nat(99_999))
    .map(([a, b]) => `${a}.${String(b).padStart(5, "0")}`),
  frequency: fc.constantFrom("once", "recurring", "forever"),
  frequency_duration: whole(1),
  expiration: fc.constantFrom("no_expiration", "time_limit"),
  expiration_at: fc.integer({ min: 1, max: 10 ** 15 }).map((micros) => now.add({ microseconds: micros }).toString()),
  reusable: fc.boolean(),
  applies_to: fc.constantFrom({}, { plan_codes: ["a", "b"] }, { billable_metric_codes: ["m"] }),
});

/** Asserts that a valid input is accepted, and that its API form reads back as the same value. */
function expectSame<Value>(
  input: Members,
  parse: (members: Members) => Result<Value, Faults>,
  show: (value: Value) => Members,
) {
  const parsed = parse(input);
  expect(parsed.ok).toBe(true);
  if (parsed.ok) expect(parse(throughJson(show(parsed.value)))).toEqual(parsed);
}

test("a price reads back from its properties", () => {
  const sum = { aggregation: { type: "sum", field: "v", isRecurring: false } } as const;
  fc.assert(
    fc.property(pricing, groupedBy, (pricing, groupedBy) => {
      const properties = throughJson(toPricingProperties(pricing, groupedBy));
      expect(parsePricing(pricing.model, properties, sum)).toEqual({ ok: true, value: { pricing, groupedBy } });
    }),
    runs,
  );
});

test("a metric reads back from its API form", () => {
  const isAccepted = (input: Members) => parseMetric(input).ok;
  fc.assert(
    fc.property(metricInput.filter(isAccepted), (input) => expectSame(input, parseMetric, metricMembers)),
    runs,
  );
});

test("a charge reads back from its API form", () => {
  fc.assert(
    fc.property(charge, (input) => expectSame(input, (members) => parseCharge(members, metrics), chargeMembers)),
    runs,
  );
});

test("a plan reads back from its API form; an empty update changes nothing", () => {
  fc.assert(
    fc.property(planInput, fc.boolean(), (input, hasSubscriptions) => {
      expectSame(input, (members) => parsePlan(members, metrics), planMembers);
      const plan = parsePlan(input, metrics);
      if (!plan.ok) return;
      expect(planAfterUpdate(plan.value, {}, new Map(), hasSubscriptions)).toEqual(plan);
      expect(overridePlan(plan.value, {}, hasSubscriptions)).toEqual(plan);
    }),
    runs,
  );
});

test("a coupon reads back from its API form; applied unchanged, it has its own terms", () => {
  fc.assert(
    fc.property(couponInput, (input) => {
      expectSame(input, (members) => parseCoupon(members, now), couponMembers);
      const coupon = parseCoupon(input, now) as { value: Coupon };
      const { value, frequency } = coupon.value;
      expect(overrideCoupon(coupon.value, {})).toEqual({ ok: true, value: { value, frequency } });
    }),
    runs,
  );
});

test("an add-on reads back from its API form", () => {
  const addOnInput = fc.record({
    name: word,
    code: word,
    description: label,
    invoice_display_name: label,
    amount_cents: whole(1),
    amount_currency: fc.constantFrom(...CURRENCY_CODES),
    tax_codes: groupedBy,
  });
  fc.assert(
    fc.property(addOnInput, (input) => expectSame(input, parseAddOn, addOnMembers)),
    runs,
  );
});

/** Members with the right names and arbitrary values, some of them valid. */
const junk = (valid: fc.Arbitrary<object>) =>
  valid.chain((members) =>
    fc
      .dictionary(
        fc.constantFrom(...Object.keys(members), "id", "__proto__", "constructor"),
        fc.oneof(
          fc.jsonValue(),
          fc.array(
            fc.dictionary(
              fc.constantFrom("id", "values", "key", "properties", "from_value", "to_value"),
              fc.jsonValue(),
            ),
          ),
        ),
        { maxKeys: 3 },
      )
      .map((wrong): Members => ({ ...members, ...wrong })),
  );

const isAnswer = (result: Result<unknown, Faults>): boolean =>
  result.ok || (Object.keys(result.error).length > 0 && Object.values(result.error).every((codes) => codes.length > 0));

test("any input is accepted, or refused with a code for each field", () => {
  const plan = parsePlan(
    { name: "P", code: "p", interval: "monthly", amount_cents: 1, amount_currency: "EUR", pay_in_advance: false },
    metrics,
  );
  const metric = parseMetric({ name: "M", code: "m", aggregation_type: "count_agg" });
  const coupon = parseCoupon(
    {
      name: "C",
      code: "c",
      coupon_type: "percentage",
      percentage_rate: "5",
      frequency: "once",
      expiration: "no_expiration",
    },
    now,
  );
  if (!plan.ok || !metric.ok || !coupon.ok) throw new Error("The examples are wrong.");
  fc.assert(
    fc.property(junk(metricInput), junk(planInput), junk(charge), junk(couponInput), (m, p, c, o) => {
      for (const result of [
        parseMetric(m),
        metricAfterUpdate(metric.value, m, true),
        parsePlan(p, metrics),
        parsePlan({ ...p, charges: [c] }, metrics),
        planAfterUpdate(plan.value, p, metrics, false),
        overridePlan(plan.value, p, false),
        overridePlan(plan.value, p, true),
        planAfterUpdate(plan.value, p, metrics, true),
        parseCoupon(o, now),
        couponAfterUpdate(coupon.value, o, false, now),
        overrideCoupon(coupon.value, o),
        parseAddOn(o),
      ]) {
        expect(isAnswer(result)).toBe(true);
      }
      for (const model of CHARGE_MODELS) expect(isAnswer(parsePricing(model, c.properties, metric.value))).toBe(true);
    }),
    runs,
  );
});
