import { defineErrors } from "../../http/problem.ts";

export const subscriptionErrors = defineErrors({
  subscription_not_found: {
    status: 404,
    meaning:
      "No subscription of this organization has that external_id and status. The default status is `active`; pass `status` to find another.",
  },
  currencies_does_not_match: {
    status: 422,
    meaning: "A customer has one currency, set by its first subscription. Choose a plan in that currency.",
  },
});
