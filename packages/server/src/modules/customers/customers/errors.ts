import { defineErrors } from "../../../http/problem.ts";

export const customerErrors = defineErrors({
  customer_not_found: { status: 404, meaning: "No customer of this organization has that external_id." },
  currencies_does_not_match: {
    status: 422,
    meaning: "A customer has one currency, set by the first subscription. Keep it, or choose a plan in that currency.",
  },
  invalid_count: { status: 422, meaning: "Too many metadata pairs: at most 5." },
});
