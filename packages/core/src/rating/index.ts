export { type AmountPart, amountParts } from "./amount-parts.ts";
export {
  billNext,
  feeForDays,
  feeSoFar,
  type InAdvanceTally,
  type InAdvanceTerms,
  inAdvanceTerms,
  tallyOf,
  tallyOfTotal,
} from "./bill-in-advance.ts";
export { type FeeDerivation, feeAmountFrom, feeLessDays } from "./charge-fee.ts";
export { type ChargeUsage, chargeUsage, type FilterUsage, type UsageSum } from "./charge-usage.ts";
export { amountDetails, amountFrom, explainAmount } from "./derivation.ts";
export { type ChargedSoFar, chargedAtStart, chargeMore, priceSoFar } from "./in-advance.ts";
export { commitmentTrueUp, type TrueUp, type TrueUpDerivation, trueUpFrom } from "./minimum.ts";
export { price } from "./models.ts";
export { countedValue, type OpenTally, openTallies } from "./open-tallies.ts";
export { looksAtEvents } from "./percentage-tally.ts";
export { type BucketFee, isBillable, looksAtValues, type RatedPart, rateBuckets, rateCharge } from "./rate-charge.ts";
export { dependsOnAcceptance, rateInAdvance } from "./rate-in-advance.ts";
export { enteredTiers } from "./tiers.ts";
