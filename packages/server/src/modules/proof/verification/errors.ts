import { defineErrors } from "../../../http/problem.ts";

export const verificationErrors = defineErrors({
  invoice_not_final: {
    status: 405,
    meaning: "A draft can still change, so it cannot be verified. Finalize the invoice first.",
  },
});
