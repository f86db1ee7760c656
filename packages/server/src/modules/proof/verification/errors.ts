import { defineErrors } from "../../../http/problem.ts";

export const verificationErrors = defineErrors({
  invoice_not_final: {
    status: 405,
    meaning: "A draft may still change, so it is not made again to be compared. Finalize the invoice first.",
  },
});
