import { defineErrors } from "../../../http/problem.ts";

export const writeOffErrors = defineErrors({
  not_due: {
    status: 405,
    meaning:
      "Nothing of the invoice is due: it is a draft, paid, voided, or written off already. Write off finalized invoices that are not paid.",
  },
  higher_than_due_amount: {
    status: 422,
    meaning: "More than is due. Send at most the total less what was written off before, or no `amount_cents` for all.",
  },
});
