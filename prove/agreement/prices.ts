/** The six charge models, prorated prices, events billed at once, and minimums. */
import { type Charge, type ChargeModel, type Metric, type Pricing, parsePlan } from "@tallystick/core/catalog";
import { currency, decimal, fraction, minor, roundToMinor } from "@tallystick/core/money";
import {
  amountFrom,
  billNext,
  chargedAtStart,
  commitmentTrueUp,
  feeAmountFrom,
  price,
  rateBuckets,
  rateCharge,
} from "@tallystick/core/rating";
import { type Bucket, type Quantity, quantityOf, startInAdvance, type UsageWindow } from "@tallystick/core/usage";
import type { PriceCase } from "@tallystick/second-opinion/pricing";
import type { ProratedCase } from "@tallystick/second-opinion/prorated";
import type { MinimumCase } from "@tallystick/second-opinion/subscription";
import { cases, IN_ADVANCE_TYPES, PRICE_MODELS, PRORATED_MODELS } from "../oracle/cases.ts";
import type { InAdvanceCase } from "../oracle/in-advance.ts";
import { oracleCommitment, oracleInAdvance, oracleMinimum, oraclePrice, oracleProrated } from "../oracle/index.ts";
import { type Comparison, comparison, currencyWith, rationalOf } from "./comparison.ts";

export const PRICE_COMPARISONS: readonly Comparison[] = [
  ...PRICE_MODELS.map((model) => comparison(`price ${model}`, cases.priceOf(model), priceByCore, oraclePrice)),
  comparison(
    "price graduated, ranges that touch",
    cases.adjacentPrice.filter(({ model }) => model === "graduated"),
    priceByCore,
    oraclePrice,
  ),
  ...PRORATED_MODELS.map((model) =>
    comparison(`prorated ${model}`, cases.proratedOf(model), proratedByCore, oracleProrated),
  ),
  ...IN_ADVANCE_TYPES.map((type) =>
    comparison(`in advance ${type}`, cases.inAdvanceOf(type), inAdvanceByCore, oracleInAdvance),
  ),
  comparison("charge minimum", cases.minimum, minimumByCore, oracleMinimum),
  comparison(
    "commitment",
    cases.commitment,
    (given) => commitmentTrueUp(trueUpInput(given))?.amountMinor ?? 0n,
    oracleCommitment,
  ),
];

const sumMetric: Metric = {
  code: "metric",
  aggregation: { type: "sum", field: "value", isRecurring: true },
  filters: [],
};

/** Through the catalog, as a request would come. */
function pricingOf(model: ChargeModel, properties: unknown): Pricing {
  const charges = [{ billable_metric_id: "metric", charge_model: model, properties }];
  const frame = { name: "plan", code: "plan", interval: "monthly", pay_in_advance: false };
  const members = { ...frame, amount_cents: 0, amount_currency: "EUR", charges };
  const parsed = parsePlan(members, new Map([["metric", sumMetric]]));
  const [charge] = parsed.ok ? parsed.value.charges : [];
  if (!charge) throw new Error(`the catalog refuses the case: ${JSON.stringify(parsed)}`);
  return charge.price.pricing;
}

const chargeOf = (pricing: Pricing, terms: Partial<Charge> = {}): Charge => ({
  id: "charge",
  metric: sumMetric,
  price: { pricing, groupedBy: [] },
  filters: [],
  timing: { type: "arrears", minAmountMinor: minor(0n) },
  isProrated: false,
  ...terms,
});

/** All usage in one bucket; rating does not read how it was measured. */
const bucketOf = (quantity: Quantity): Bucket => ({
  filter: null,
  group: {},
  quantity,
  derivation: {} as Bucket["derivation"],
});

/** The first days of a period of so many. */
function windowOf(days: number, periodDays: number): UsageWindow {
  const firstDay = Temporal.PlainDate.from("2024-01-01");
  const [from, to] = [firstDay, firstDay.add({ days })].map((day) => day.toZonedDateTime("UTC").toInstant());
  if (!from || !to) throw new Error("a window has two ends");
  return { from, to, timeZone: "UTC", firstDay, lastDay: firstDay.add({ days: days - 1 }), periodDays };
}

function feeOf(charge: Charge, quantity: Quantity, context: Parameters<typeof rateBuckets>[2]) {
  const [fee] = rateBuckets(charge, [bucketOf(quantity)], context);
  if (!fee) throw new Error("a bucket without a fee");
  return fee;
}

/** Price, fee and the fee computed again from its stored derivation. */
function priceByCore({ model, properties, units, values, digits }: PriceCase) {
  const pricing = pricingOf(model, properties);
  const used = quantityOf(decimal(units), values.map(decimal));
  const fee = feeOf(chargeOf(pricing), used, { window: windowOf(30, 30), currency: currencyWith(digits) });
  if (feeAmountFrom(JSON.parse(JSON.stringify(fee.derivation))) !== fee.amountMinor)
    throw new Error("the derivation gives another amount");
  return { exact: rationalOf(price(pricing, used).amount), cents: fee.amountMinor };
}

function proratedByCore({ model, properties, changes, periodDays, digits }: ProratedCase) {
  const list = changes.map(({ units, days }) => ({ units: decimal(units), days }));
  const total = list.reduce((all, { units }) => all.plus(units), decimal("0"));
  const charge = chargeOf(pricingOf(model, properties), { isProrated: true });
  const context = { window: windowOf(periodDays, periodDays), currency: currencyWith(digits) };
  const amount = amountFrom(feeOf(charge, { ...quantityOf(total, []), changes: list }, context).derivation.pricing);
  return { exact: rationalOf(amount), cents: roundToMinor(amount, context.currency) };
}

/** The tally goes through JSON between two events, as it would through a row. */
function inAdvanceByCore({ type, model, properties, digits, events }: InAdvanceCase) {
  const pricing = pricingOf(model, properties);
  const terms = {
    aggregation: type === "count" ? { type } : { type, field: "value", isRecurring: false },
    pricing,
    isProrated: false,
    window: windowOf(30, 30),
    currency: currencyWith(digits),
  };
  const active = new Set<string>();
  let tally = { usage: startInAdvance(decimal("0")), soFar: chargedAtStart(pricing, decimal("0")) };
  return events.map(({ value, operation }, index) => {
    const properties = {
      ...(value === undefined ? {} : { value }),
      ...(operation ? { operation_type: operation } : {}),
    };
    const event = { at: Temporal.Instant.fromEpochMilliseconds(index), position: BigInt(index), properties };
    const next = billNext(terms, tally, event, active.has(value ?? ""));
    if (next === null) return { units: rationalOf(0n), cents: 0n };
    if (next.isActive) active.add(value ?? "");
    else active.delete(value ?? "");
    tally = JSON.parse(JSON.stringify(next.tally));
    return { units: rationalOf(fraction(next.fee.units)), cents: next.fee.amountMinor };
  });
}

/** What was used comes as units at a cent each. */
function minimumByCore({ minimum, used, days, periodDays }: MinimumCase) {
  const charge = chargeOf(
    { model: "standard", amount: decimal("0.01") },
    { timing: { type: "arrears", minAmountMinor: minor(BigInt(minimum)) } },
  );
  const buckets = [bucketOf(quantityOf(decimal(String(used)), []))];
  const { trueUp } = rateCharge(charge, buckets, { window: windowOf(days, periodDays), currency: currency("EUR") });
  return trueUp?.amountMinor ?? 0n;
}

const trueUpInput = ({ minimum, used, days, periodDays }: MinimumCase) => ({
  minimumMinor: minor(BigInt(minimum)),
  usedMinor: minor(BigInt(used)),
  days,
  periodDays,
});
