import { defineErrors } from "../../../http/problem.ts";

export const writeOffErrors = defineErrors({
  not_due: {
    status: 405,
    meaning:
      "The invoice has no amount due: it is a draft, paid, voided, or already written off. Only finalized, unpaid invoices can be written off.",
  },
  higher_than_due_amount: {
    status: 422,
    meaning:
      "The amount exceeds the amount due. Send at most the total less earlier write-offs, or omit `amount_cents` to write off everything.",
  },
});
