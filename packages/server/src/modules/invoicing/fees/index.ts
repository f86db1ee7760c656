export type { LockedFee } from "./change-fee.ts";
export { describeFees } from "./describe-fees.ts";
export { feeErrors } from "./errors.ts";
export { toStoredKey } from "./fee-key.ts";
export { feeMessages } from "./messages.ts";
export { openNextFees, regroupOn, removeAlone, saveFees } from "./receivable.ts";
export { feeRoutes } from "./routes.ts";
export {
  deleteFeesOfInvoice,
  type FeeRow,
  type FeeTaxRow,
  findBilledInAdvance,
  findFee,
  findFees,
  findFeesOfInvoices,
  findKeptFees,
  findLastFeeInAdvance,
  findPaidFees,
  findTaxesOfFees,
  type NewFee,
  updatePayments,
} from "./store.ts";
export { type ApiFee, type FeeItemTexts, feeSchema, toApiDetails, toApiFee } from "./to-api.ts";
