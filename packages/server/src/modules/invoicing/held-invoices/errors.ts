import { defineErrors } from "../../../http/problem.ts";

export const heldInvoiceErrors = defineErrors({
  held_invoice_not_found: {
    status: 404,
    meaning: "No invoice with that id is or was held in this organization.",
  },
  held_invoice_released: {
    status: 405,
    meaning:
      "The invoice is no longer held: it was released, or both computations agreed later. Nothing is left to do.",
  },
  earlier_invoice_held: {
    status: 405,
    meaning:
      "The invoice counts what an earlier one bills of its period, and that one is held too. Release that one first; `differences` has its id.",
  },
});
