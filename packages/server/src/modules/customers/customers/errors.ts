import { defineErrors } from "../../../http/problem.ts";

export const customerErrors = defineErrors({
  customer_not_found: { status: 404, meaning: "No customer of this organization has that external_id." },
  currencies_does_not_match: {
    status: 422,
    meaning:
      "A customer has one currency, set by its first subscription. Keep that currency, or choose a plan that uses it.",
  },
  invalid_count: { status: 422, meaning: "A customer has at most 5 metadata pairs. Send fewer." },
});
