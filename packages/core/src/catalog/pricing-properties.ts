/** Validates the `properties` of a price, and writes them in their API form. All faults are reported under `properties`. */
import type { Decimal } from "../money/index.ts";
import type { Price } from "./charge.ts";
import { asDecimal, asWhole, isMembers, type Members } from "./members.ts";
import type { Metric } from "./metric.ts";
import type { ChargeModel, PercentagePricing, PercentageTier, Pricing, Tier } from "./pricing.ts";
import { andThen, checked, combine, combineList, type Faults, fault, holds, ok, type Result } from "./result.ts";

type Bounds = { from: bigint; to: bigint | null };
type RangesName = "graduated_ranges" | "volume_ranges" | "graduated_percentage_ranges";
type PricingOf<Model extends ChargeModel> = Extract<Pricing, { model: Model }>;

/** One charge model in its API form. */
type ModelProperties<Of extends Pricing> = {
  /** A price without properties: everything costs nothing. */
  readonly free: Members;
  readonly read: (input: Members) => Result<Omit<Of, "model">, Faults>;
  readonly write: (pricing: Of) => Members;
};

const FIELD = "properties";

const MODELS: { readonly [Model in ChargeModel]: ModelProperties<PricingOf<Model>> } = {
  standard: {
    free: { amount: "0" },
    read: (options) => combine({ amount: amount(options.amount) }),
    write: (pricing) => ({ amount: pricing.amount.toFixed() }),
  },
  graduated: {
    free: { graduated_ranges: [{ from_value: 0, to_value: null, per_unit_amount: "0", flat_amount: "0" }] },
    // A tier may begin where the previous one ends, because fractional units leave no gap.
    read: (values) => combine({ tiers: readTiers(values, "graduated_ranges", perUnit, [0n, 1n]) }),
    write: (pricing) => ({ graduated_ranges: pricing.tiers.map(unitRange) }),
  },
  volume: {
    free: { volume_ranges: [{ from_value: 0, to_value: null, per_unit_amount: "0", flat_amount: "0" }] },
    read: (given) => combine({ tiers: readTiers(given, "volume_ranges", perUnit, [1n]) }),
    write: (pricing) => ({ volume_ranges: pricing.tiers.map(unitRange) }),
  },
  package: {
    free: { amount: "0", free_units: 0, package_size: 1 },
    read: (given) =>
      combine({
        amount: amount(given.amount),
        freeUnits: count(given.free_units, 0n, "invalid_free_units"),
        packageSize: count(given.package_size, 1n, "invalid_package_size"),
      }),
    write: (pricing) => ({
      amount: pricing.amount.toFixed(),
      free_units: Number(pricing.freeUnits),
      package_size: Number(pricing.packageSize),
    }),
  },
  percentage: { free: { rate: "0" }, read: readPercentage, write: percentageProperties },
  graduated_percentage: {
    free: { graduated_percentage_ranges: [{ from_value: 0, to_value: null, rate: "0", flat_amount: "0" }] },
    read: (given) =>
      combine({
        tiers: readTiers(given, "graduated_percentage_ranges", share, [1n]),
      }),
    write: (pricing) => ({ graduated_percentage_ranges: pricing.tiers.map(shareRange) }),
  },
};

/** A price from the `properties` of a charge or a filter; members of other models are dropped. */
export function parsePricing(
  model: ChargeModel,
  properties: unknown,
  { aggregation }: Pick<Metric, "aggregation">,
): Result<Price, Faults> {
  const given = isBlank(properties) ? MODELS[model].free : properties;
  if (!isMembers(given)) return fault(FIELD, "value_is_invalid");
  const isShare = model === "percentage" || model === "graduated_percentage";
  const read: Result<Omit<Pricing, "model">, Faults> = MODELS[model].read(given);
  return checked(
    combine({
      pricing: andThen(read, (members) => ok({ model, ...members } as Pricing)),
      groupedBy: readGroupedBy(given.grouped_by),
    }),
    // The latest value replaces earlier ones, so there is no value per event to take a percentage of.
    holds(!(isShare && aggregation.type === "latest"), FIELD, "invalid_value"),
  );
}

/** The API form of a price, which reads back as the same price. Decimals have no trailing zeros. */
export function toPricingProperties(pricing: Pricing, groupedBy: readonly string[]): Members {
  const { write } = MODELS[pricing.model] as ModelProperties<Pricing>;
  return { ...write(pricing), ...(groupedBy.length > 0 ? { grouped_by: groupedBy } : {}) };
}

/** The properties as they were sent: "0.50" stays "0.50". Members that were left out are added, those of other models dropped. */
export function propertiesAsSent(sent: unknown, { pricing, groupedBy }: Price): Members {
  const { grouped_by, ...written } = toPricingProperties(pricing, groupedBy);
  return { ...(withTextsOf(sent, written) as Members), ...(grouped_by === undefined ? {} : { grouped_by }) };
}

function withTextsOf(sent: unknown, written: unknown): unknown {
  if (Array.isArray(written) && Array.isArray(sent))
    return written.map((item, index) => withTextsOf(sent[index], item));
  if (isMembers(written) && isMembers(sent))
    return Object.fromEntries(Object.entries(written).map(([name, value]) => [name, withTextsOf(sent[name], value)]));
  return typeof sent === "string" ? sent : written;
}

const isBlank = (properties: unknown): boolean =>
  properties === undefined || properties === null || (isMembers(properties) && Object.keys(properties).length === 0);

function readPercentage(given: Members): Result<Omit<PercentagePricing, "model">, Faults> {
  const min = orNull(given.per_transaction_min_amount, amount);
  const max = orNull(given.per_transaction_max_amount, amount);
  return checked(
    combine({
      rate: amount(given.rate, "invalid_rate"),
      fixedAmount: amount(given.fixed_amount ?? "0", "invalid_fixed_amount"),
      freeEvents: orNull(given.free_units_per_events, (value) => count(value, 1n, "invalid_free_units_per_events")),
      freeUnits: orNull(given.free_units_per_total_aggregation, (value) =>
        amount(value, "invalid_free_units_per_total_aggregation"),
      ),
      perTransactionMin: min,
      perTransactionMax: max,
    }),
    holds(
      !(min.ok && max.ok && min.value !== null && max.value?.lt(min.value)),
      FIELD,
      "per_transaction_max_lower_than_per_transaction_min",
    ),
  );
}

function percentageProperties(pricing: PercentagePricing): Members {
  const limits: Record<string, Decimal | bigint | null> = {
    free_units_per_events: pricing.freeEvents,
    free_units_per_total_aggregation: pricing.freeUnits,
    per_transaction_min_amount: pricing.perTransactionMin,
    per_transaction_max_amount: pricing.perTransactionMax,
  };
  const given = Object.entries(limits).flatMap(([name, limit]) =>
    limit === null ? [] : [[name, typeof limit === "bigint" ? Number(limit) : limit.toFixed()]],
  );
  return { rate: pricing.rate.toFixed(), fixed_amount: pricing.fixedAmount.toFixed(), ...Object.fromEntries(given) };
}

const perUnit = (range: Members) =>
  combine({ perUnit: amount(range.per_unit_amount), flat: amount(range.flat_amount) });

const share = (range: Members) =>
  combine({ rate: amount(range.rate, "invalid_rate"), flat: amount(range.flat_amount) });

/** Ranges from 0 without gap or overlap, each with its price. `steps`: how far above the end of a range the next one may begin. */
function readTiers<Price>(
  given: Members,
  name: RangesName,
  readPrice: (range: Members) => Result<Price, Faults>,
  steps: readonly bigint[],
): Result<(Bounds & Price)[], Faults> {
  const ranges = given[name];
  if (!Array.isArray(ranges) || ranges.length === 0) return fault(FIELD, `missing_${name}`);
  if (!ranges.every(isMembers)) return fault(FIELD, `invalid_${name}`);
  const bounds = ranges.map(readBounds);
  const prices = combineList(ranges.map(readPrice));
  if (!areJoined(bounds, steps)) return checked(fault(FIELD, `invalid_${name}`), prices);
  if (!prices.ok) return prices;
  return ok(prices.value.map((price, index) => ({ ...(bounds[index] as Bounds), ...price })));
}

function readBounds({ from_value, to_value }: Members): Bounds | undefined {
  const from = asWhole(from_value, 0n);
  const to = to_value === null || to_value === undefined ? null : asWhole(to_value, 1n);
  return from === undefined || to === undefined ? undefined : { from, to };
}

function areJoined(bounds: readonly (Bounds | undefined)[], steps: readonly bigint[]): bounds is Bounds[] {
  return bounds.every((range, index) => {
    if (range === undefined) return false;
    const isLast = index === bounds.length - 1;
    const end = bounds[index - 1]?.to;
    const beginsRight =
      index === 0 ? range.from === 0n : end != null && steps.some((step) => range.from === end + step);
    const endsRight = isLast ? range.to === null : range.to !== null && range.to > range.from;
    return beginsRight && endsRight;
  });
}

/** Names of event properties, each once. */
function readGroupedBy(given: unknown): Result<string[], Faults> {
  if (given === undefined || given === null) return ok([]);
  const isListOfNames = Array.isArray(given) && given.every((key) => typeof key === "string" && key !== "");
  return isListOfNames ? ok([...new Set<string>(given)]) : fault(FIELD, "invalid_type");
}

function amount(value: unknown, code = "invalid_amount"): Result<Decimal, Faults> {
  const read = asDecimal(value);
  return read === undefined ? fault(FIELD, code) : ok(read);
}

function count(value: unknown, least: bigint, code: string): Result<bigint, Faults> {
  const read = asWhole(value, least);
  return read === undefined ? fault(FIELD, code) : ok(read);
}

function orNull<Value>(value: unknown, read: (value: unknown) => Result<Value, Faults>): Result<Value | null, Faults> {
  return value === undefined || value === null ? ok(null) : read(value);
}

const boundMembers = ({ from, to }: Bounds): Members => ({
  from_value: Number(from),
  to_value: to === null ? null : Number(to),
});

function unitRange(tier: Tier): Members {
  return { ...boundMembers(tier), per_unit_amount: tier.perUnit.toFixed(), flat_amount: tier.flat.toFixed() };
}

function shareRange(tier: PercentageTier): Members {
  return { ...boundMembers(tier), rate: tier.rate.toFixed(), flat_amount: tier.flat.toFixed() };
}
