export { amountDetails } from "./amount-details.ts";
export { amountFrom } from "./amount-from.ts";
export { chargeFee, feeAmountFrom } from "./charge-fee.ts";
export { explainAmount, explainFee, explainTrueUp } from "./explain.ts";
export { chargedAtStart, priceNext, priceNextProrated, priceSoFar } from "./in-advance.ts";
export { chargeMinimumTrueUp, commitmentTrueUp, trueUpFrom } from "./minimum.ts";
export { price } from "./price.ts";
export { priceProrated } from "./prorated.ts";
export { isBillable, rateBuckets, rateCharge } from "./rate-charge.ts";
