/** The six charge models, prorated prices, events billed at once, and minimums. */
import { type ChargeModel, type Metric, type Pricing, parsePricing } from "@tallystick/core/catalog";
import { decimal, fraction, minor, roundToMinor } from "@tallystick/core/money";
import {
  chargedAtStart,
  chargeFee,
  chargeMinimumTrueUp,
  commitmentTrueUp,
  feeAmountFrom,
  price,
  priceNext,
  priceProrated,
} from "@tallystick/core/rating";
import { proratedUnits, startInAdvance, stepInAdvance } from "@tallystick/core/usage";
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
  comparison(
    "charge minimum",
    cases.minimum,
    (given) => chargeMinimumTrueUp(trueUpInput(given))?.amountMinor ?? 0n,
    oracleMinimum,
  ),
  comparison(
    "commitment",
    cases.commitment,
    (given) => commitmentTrueUp(trueUpInput(given))?.amountMinor ?? 0n,
    oracleCommitment,
  ),
];

const metricOf = (aggregation: Metric["aggregation"]): Metric => ({ code: "metric", aggregation, filters: [] });
const sumMetric = metricOf({ type: "sum", field: "value", isRecurring: true });

/** Through the catalog, as a request would come. */
function pricingOf(model: ChargeModel, properties: unknown): Pricing {
  const parsed = parsePricing(model, properties, sumMetric);
  if (!parsed.ok) throw new Error(`the catalog refuses the case: ${JSON.stringify(parsed.error)}`);
  return parsed.value.pricing;
}

/** Price, fee and the fee computed again from its stored derivation. */
function priceByCore({ model, properties, units, values, digits }: PriceCase) {
  const used = { units: decimal(units), values: values.map(decimal), eventsCount: BigInt(values.length) };
  const priced = price(pricingOf(model, properties), used);
  const fee = chargeFee(priced, used, currencyWith(digits));
  if (feeAmountFrom(JSON.parse(JSON.stringify(fee.derivation))) !== fee.amountMinor)
    throw new Error("the derivation gives another amount");
  return { exact: rationalOf(priced.amount), cents: fee.amountMinor };
}

function proratedByCore({ model, properties, changes, periodDays, digits }: ProratedCase) {
  const pricing = pricingOf(model, properties);
  if (pricing.model !== "standard" && pricing.model !== "volume" && pricing.model !== "graduated")
    throw new Error(model);
  const list = changes.map(({ units, days }) => ({ units: decimal(units), days }));
  const { amount } = priceProrated(pricing, {
    fullUnits: list.reduce((all, { units }) => all.plus(units), decimal("0")),
    proratedUnits: proratedUnits({ changes: list }, { periodDays } as Parameters<typeof proratedUnits>[1]),
    changes: list,
    periodDays,
  });
  return { exact: rationalOf(amount), cents: roundToMinor(amount, currencyWith(digits)) };
}

/** The states go through JSON between two events, as they would through a row. */
function inAdvanceByCore({ type, model, properties, digits, events }: InAdvanceCase) {
  const aggregation = type === "count" ? { type } : { type, field: "value", isRecurring: false };
  const pricing = pricingOf(model, properties);
  const active = new Set<string>();
  let state = startInAdvance(decimal("0"));
  let soFar = chargedAtStart(pricing, decimal("0"));
  return events.map(({ value, operation }, index) => {
    const properties = {
      ...(value === undefined ? {} : { value }),
      ...(operation ? { operation_type: operation } : {}),
    };
    const event = { at: Temporal.Instant.fromEpochMilliseconds(index), position: BigInt(index), properties };
    const step = stepInAdvance(aggregation, state, event, active.has(value ?? ""));
    if (step === null) return { units: rationalOf(0n), cents: 0n };
    if (step.isActive) active.add(value ?? "");
    else active.delete(value ?? "");
    const next = priceNext(pricing, soFar, step.charged);
    [state, soFar] = JSON.parse(JSON.stringify([step.state, next.soFar]));
    return { units: rationalOf(fraction(step.shownUnits)), cents: roundToMinor(next.amount, currencyWith(digits)) };
  });
}

const trueUpInput = ({ minimum, used, days, periodDays }: MinimumCase) => ({
  minimumMinor: minor(BigInt(minimum)),
  usedMinor: minor(BigInt(used)),
  days,
  periodDays,
});
