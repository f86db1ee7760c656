/** What makes the properties of a price valid, and the properties of a price. All faults are reported under `properties`. */
import type { Decimal } from "../money/index.ts";
import type { Price } from "./charge.ts";
import { asDecimal, asWhole, isMembers, type Members } from "./members.ts";
import type { Metric } from "./metric.ts";
import type { ChargeModel, Pricing } from "./pricing.ts";
import { checked, combine, combineList, type Faults, fault, holds, ok, type Result } from "./result.ts";

type Bounds = { from: bigint; to: bigint | null };
type RangesName = "graduated_ranges" | "volume_ranges" | "graduated_percentage_ranges";

const FIELD = "properties";

/** What a price is without properties: everything costs nothing. */
const FREE: Record<ChargeModel, Members> = {
  standard: { amount: "0" },
  graduated: { graduated_ranges: [{ from_value: 0, to_value: null, per_unit_amount: "0", flat_amount: "0" }] },
  volume: { volume_ranges: [{ from_value: 0, to_value: null, per_unit_amount: "0", flat_amount: "0" }] },
  package: { amount: "0", free_units: 0, package_size: 1 },
  percentage: { rate: "0" },
  graduated_percentage: {
    graduated_percentage_ranges: [{ from_value: 0, to_value: null, rate: "0", flat_amount: "0" }],
  },
};

/** A price from the `properties` of a charge or a filter; members of other models are dropped. */
export function parsePricing(
  model: ChargeModel,
  properties: unknown,
  { aggregation }: Pick<Metric, "aggregation">,
): Result<Price, Faults> {
  const given = isBlank(properties) ? FREE[model] : properties;
  if (!isMembers(given)) return fault(FIELD, "value_is_invalid");
  const isShare = model === "percentage" || model === "graduated_percentage";
  return checked(
    combine({ pricing: readPricing(model, given), groupedBy: readGroupedBy(given.grouped_by) }),
    // The latest value replaces the ones before it, so there is nothing that a percentage of each event could be of.
    holds(!(isShare && aggregation.type === "latest"), FIELD, "invalid_value"),
  );
}

const isBlank = (properties: unknown): boolean =>
  properties === undefined || properties === null || (isMembers(properties) && Object.keys(properties).length === 0);

function readPricing(model: ChargeModel, given: Members): Result<Pricing, Faults> {
  switch (model) {
    case "standard":
      return combine({ model: ok(model), amount: amount(given.amount) });
    case "graduated":
      // A tier may begin where the one before it ends: with fractional units there is nothing between them.
      return combine({ model: ok(model), tiers: readTiers(given, "graduated_ranges", perUnit, [0n, 1n]) });
    case "volume":
      return combine({ model: ok(model), tiers: readTiers(given, "volume_ranges", perUnit, [1n]) });
    case "graduated_percentage":
      return combine({ model: ok(model), tiers: readTiers(given, "graduated_percentage_ranges", share, [1n]) });
    case "package":
      return combine({
        model: ok(model),
        amount: amount(given.amount),
        freeUnits: count(given.free_units, 0n, "invalid_free_units"),
        packageSize: count(given.package_size, 1n, "invalid_package_size"),
      });
    case "percentage":
      return readPercentage(given);
  }
}

function readPercentage(given: Members): Result<Pricing, Faults> {
  const min = orNull(given.per_transaction_min_amount, amount);
  const max = orNull(given.per_transaction_max_amount, amount);
  return checked(
    combine({
      model: ok("percentage" as const),
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

const perUnit = (range: Members) =>
  combine({ perUnit: amount(range.per_unit_amount), flat: amount(range.flat_amount) });

const share = (range: Members) =>
  combine({ rate: amount(range.rate, "invalid_rate"), flat: amount(range.flat_amount) });

/** Ranges from 0 without gap or overlap, each with its price. `steps`: how far above the end of a range the next may begin. */
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
