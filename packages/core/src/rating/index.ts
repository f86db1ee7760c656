export { chargeFee, feeAmountFrom } from "./charge-fee.ts";
export { amountDetails, amountFrom, explainAmount } from "./derivation.ts";
export { explainFee, explainTrueUp } from "./explain.ts";
export { chargedAtStart, priceNext, priceNextProrated, priceSoFar } from "./in-advance.ts";
export { chargeMinimumTrueUp, commitmentTrueUp, trueUpFrom } from "./minimum.ts";
export { price } from "./models.ts";
export { priceProrated } from "./prorated.ts";
export { isBillable, rateBuckets, rateCharge } from "./rate-charge.ts";
