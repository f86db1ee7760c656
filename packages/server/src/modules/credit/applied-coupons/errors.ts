import { defineErrors } from "../../../http/problem.ts";

export const appliedCouponErrors = defineErrors({
  applied_coupon_not_found: { status: 404, meaning: "The customer has no applied coupon with that id." },
  coupon_is_not_reusable: {
    status: 422,
    meaning:
      "The customer had this coupon before, and it can be applied once only. Make it reusable, or choose another.",
  },
  plan_overlapping: {
    status: 405,
    meaning:
      "An active coupon of the customer is limited to one of the same plans or billable metrics. Terminate that one first.",
  },
  currencies_does_not_match: {
    status: 422,
    meaning: "The amount is in another currency than the customer is billed in. A customer has one currency.",
  },
});
