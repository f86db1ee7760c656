export { type ApiHeldInvoice, heldInvoiceSchema } from "./schema.ts";
export {
  countHeld,
  findHeld,
  findHeldBefore,
  findHeldDerivations,
  forgetHolds,
  type HeldRow,
  holdInvoiceRow,
  releaseRow,
} from "./store.ts";
export { heldInvoiceMessages } from "./messages.ts";
