export { type AddOn, addOnAfterUpdate, parseAddOn } from "./add-on.ts";
export { changeOverrides, overridePlan, planAfterUpdate } from "./change-plan.ts";
export {
  ALL_FILTER_VALUES,
  type Charge,
  type ChargeDefinition,
  type ChargeFilter,
  type ChargeFilterDefinition,
  type ChargeTiming,
  type Price,
} from "./charge.ts";
export { filtersAfterMetricUpdate } from "./charge-filters.ts";
export {
  type Coupon,
  type CouponFrequency,
  type CouponLimit,
  type CouponTerms,
  type CouponValue,
  couponAfterUpdate,
  overrideCoupon,
  parseCoupon,
} from "./coupon.ts";
export {
  asDecimal,
  currencyCode,
  instant,
  isMembers,
  listOf,
  type Members,
  object,
  oneOf,
  optional,
  type Reader,
  required,
  shortText,
  whole,
} from "./members.ts";
export { type Aggregation, isRecurring, type Metric, type MetricDefinition, type MetricFilter } from "./metric.ts";
export { chargeMembers, type MetricsById } from "./parse-charge.ts";
export { metricAfterUpdate, metricMembers, parseMetric } from "./parse-metric.ts";
export { parsePlan, planMembers } from "./parse-plan.ts";
export { type Plan, type PlanDefinition, type PlanFrame, yearlyAmount } from "./plan.ts";
export {
  CHARGE_MODELS,
  type ChargeModel,
  type GraduatedPercentagePricing,
  type GraduatedPricing,
  type PackagePricing,
  type PercentagePricing,
  type PercentageTier,
  type Pricing,
  type StandardPricing,
  type Tier,
  type VolumePricing,
} from "./pricing.ts";
export { andThen, combine, combineList, type Faults, fail, fault, ok, type Result } from "./result.ts";
export { parseTaxRate } from "./tax.ts";
