export {
  billNext,
  feeSoFar,
  type InAdvanceTally,
  type InAdvanceTerms,
  inAdvanceTerms,
  tallyOf,
  tallyOfTotal,
} from "./bill-in-advance.ts";
export { chargeFee, type FeeDerivation, feeAmountFrom } from "./charge-fee.ts";
export { type ChargeUsage, chargeUsage, type FilterUsage, type UsageSum } from "./charge-usage.ts";
export { amountDetails, amountFrom, explainAmount } from "./derivation.ts";
export { explainFee, explainTrueUp } from "./explain.ts";
export { chargedAtStart, priceNext, priceNextProrated, priceSoFar } from "./in-advance.ts";
export { chargeMinimumTrueUp, commitmentTrueUp, type TrueUp, type TrueUpDerivation, trueUpFrom } from "./minimum.ts";
export { price } from "./models.ts";
export { countedValue, type OpenTally, openTallies } from "./open-tallies.ts";
export { priceProrated } from "./prorated.ts";
export { type BucketFee, isBillable, looksAtValues, rateBuckets, rateCharge } from "./rate-charge.ts";
export { dependsOnAcceptance, rateInAdvance } from "./rate-in-advance.ts";
