import { defineErrors } from "../../../http/problem.ts";

export const appliedCouponErrors = defineErrors({
  applied_coupon_not_found: { status: 404, meaning: "The customer has no applied coupon with that id." },
  coupon_is_not_reusable: {
    status: 422,
    meaning:
      "The customer already had this coupon, and it can be applied only once. Make it reusable, or choose another one.",
  },
  plan_overlapping: {
    status: 405,
    meaning:
      "An active coupon of the customer is limited to one of the same plans or billable metrics. Terminate that one first.",
  },
  currencies_does_not_match: {
    status: 422,
    meaning: "The currency of the amount differs from the customer's currency. A customer has one currency.",
  },
});
