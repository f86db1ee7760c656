export { aggregate } from "./aggregate.ts";
export { explainQuantity, type UsageDerivation, unitsFrom } from "./derivation.ts";
export type { UsageEvent } from "./event.ts";
export { filterFor } from "./filter.ts";
export { groupKey, groupOf } from "./group.ts";
export {
  type InAdvanceAggregation,
  type InAdvanceState,
  type InAdvanceStep,
  startInAdvance,
  stepInAdvance,
} from "./in-advance.ts";
export { canonicalText, numericValue } from "./property-value.ts";
export { type Change, proratedUnits, type Quantity } from "./quantity.ts";
export { type Bucket, splitUsage } from "./split.ts";
export { daysLeft, type UsageWindow } from "./window.ts";
