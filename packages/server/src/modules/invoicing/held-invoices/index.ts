export { heldInvoiceMessages } from "./messages.ts";
export type { ApiHeldInvoice } from "./schema.ts";
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
