/**
 * Traffic: a metric of any aggregation, with filters and groups, and a charge of any model on it. The account of a life does not count it:
 * preview, current usage and the second opinion must say what its invoice says, and `agreement` has the amounts.
 */
import type { Members } from "../served-api.ts";
import type { Dice } from "./dice.ts";
import { drawModel, type Price, type PriceModel } from "./prices.ts";

export type TrafficMetric = { readonly aggregation: string; readonly isRecurring: boolean };

const METRICS: readonly TrafficMetric[] = [
  ...["count_agg", "sum_agg", "max_agg", "unique_count_agg", "weighted_sum_agg", "latest_agg"].map((aggregation) => ({
    aggregation,
    isRecurring: false,
  })),
  ...["sum_agg", "unique_count_agg", "weighted_sum_agg"].map((aggregation) => ({ aggregation, isRecurring: true })),
];

export const drawTrafficMetric = (dice: Dice): TrafficMetric => dice.oneOf(METRICS);

const FILTERS = [
  { key: "region", values: ["eu", "us"] },
  { key: "tier", values: ["gold", "silver", "1"] },
];

export const toApiTrafficMetric = ({ aggregation, isRecurring }: TrafficMetric): Members => ({
  name: "traffic",
  code: "traffic",
  aggregation_type: aggregation,
  recurring: isRecurring,
  ...(aggregation === "count_agg" ? {} : { field_name: "value" }),
  ...(aggregation === "weighted_sum_agg" ? { weighted_interval: "seconds" } : {}),
  filters: FILTERS,
});

export type TrafficFilter = Price & { readonly values: Readonly<Record<string, readonly string[]>> };

export type TrafficTerms = Price & {
  readonly filters: readonly TrafficFilter[];
  readonly groupedBy: readonly string[];
  readonly isInAdvance: boolean;
  readonly isInvoiceable: boolean;
  readonly isProrated: boolean;
};

const PRICES = ["10", "100", "33.3", "7.25"];

export function drawTraffic(dice: Dice, metric: TrafficMetric): TrafficTerms {
  const drawn = drawModel(dice);
  // The latest value has no price by percentage.
  const model = metric.aggregation === "latest_agg" && drawn.includes("percentage") ? "graduated" : drawn;
  const isInAdvance = dice.isOnceIn(3) && mayBeInAdvance(metric, model);
  const filters = [
    { model, price: dice.oneOf(PRICES), values: { region: ["eu"] } },
    { model, price: dice.oneOf(PRICES), values: { region: ["eu", "us"], tier: ["gold"] } },
    { model, price: dice.oneOf(PRICES), values: { tier: ["__ALL_FILTER_VALUES__"] } },
  ];
  return {
    model,
    price: dice.oneOf(PRICES),
    filters: filters.slice(0, dice.below(4)),
    groupedBy: dice.oneOf([[], [], ["workspace"], ["workspace", "region"]]),
    isInAdvance,
    isInvoiceable: !isInAdvance || dice.isOnceIn(2),
    isProrated:
      dice.isOnceIn(2) &&
      mayBeProrated(metric, isInAdvance ? ["standard"] : ["standard", "volume", "graduated"], model),
  };
}

const mayBeInAdvance = ({ aggregation }: TrafficMetric, model: PriceModel): boolean =>
  model !== "volume" && ["count_agg", "sum_agg", "unique_count_agg"].includes(aggregation);

const mayBeProrated = (
  { isRecurring, aggregation }: TrafficMetric,
  models: readonly PriceModel[],
  model: PriceModel,
): boolean => isRecurring && aggregation !== "weighted_sum_agg" && models.includes(model);

/** The properties of an event; each may be missing. */
export function drawProperties(dice: Dice): Members {
  const properties = {
    value: dice.oneOf(["1", "2", "3.5", "12", "0.25", "100", "7"]),
    region: dice.oneOf(["eu", "us", "asia"]),
    tier: dice.oneOf(["gold", "silver", "1"]),
    workspace: dice.oneOf(["a", "b"]),
    operation_type: dice.oneOf(["add", "remove"]),
  };
  return Object.fromEntries(Object.entries(properties).filter(([name]) => name === "value" || !dice.isOnceIn(3)));
}
