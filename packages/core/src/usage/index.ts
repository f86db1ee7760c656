export { aggregate, isCounted } from "./aggregate.ts";
export { closingFrom, explainHeld, explainQuantity, type UsageDerivation, unitsFrom } from "./derivation.ts";
export { byTime, propertyOf, type UsageEvent } from "./event.ts";
export { type BucketFigures, bucketsFrom } from "./figures.ts";
export { filterCandidates, filterFinder, filterFor, lacksDimension } from "./filter.ts";
export { type Group, groupKey, groupOf, inGroups } from "./group.ts";
export {
  type InAdvanceAggregation,
  type InAdvanceState,
  type InAdvanceStep,
  startInAdvance,
  stepInAdvance,
  takesAway,
} from "./in-advance.ts";
export { type PaidUnits, paidUnits } from "./paid-units.ts";
export { canonicalText, NUMBER_LENGTH_MAX, numericValue, QUANTITY_DIGITS_MAX } from "./property-value.ts";
export { type Change, proratedUnits, type Quantity, quantityOf } from "./quantity.ts";
export { type InAdvanceReplay, isInUse, replayInAdvance } from "./replay-in-advance.ts";
export { settleAt } from "./settle-at.ts";
export { type Bucket, splitUsage } from "./split.ts";
export { changesOfTurns, datedChanges, turnOf, turns } from "./unique-count.ts";
export {
  dayMarks,
  daysLeft,
  daysLeftAfter,
  eventsSeen,
  isBefore,
  secondsUntilEnd,
  type UsageWindow,
} from "./window.ts";
