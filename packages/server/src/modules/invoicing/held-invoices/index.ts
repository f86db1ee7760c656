export { heldInvoiceErrors } from "./errors.ts";
export { heldInvoiceMessages } from "./messages.ts";
export {
  heldInvoiceList,
  listHeldInvoicesSchema,
  readReason,
  releaseHeldInvoiceSchema,
  showHeldInvoiceSchema,
  toApiHeldInvoice,
} from "./schema.ts";
export {
  countHeld,
  findDerivations,
  findHeld,
  findHeldBefore,
  findHeldInvoice,
  forgetHolds,
  type HeldRow,
  holdInvoiceRow,
  pageOfHeld,
  releaseRow,
} from "./store.ts";
