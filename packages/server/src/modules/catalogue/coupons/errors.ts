import { defineErrors } from "../../../http/problem.ts";

export const couponErrors = defineErrors({
  coupon_not_found: { status: 404, meaning: "No coupon of this organization has that code. Create it first." },
  plans_not_found: {
    status: 404,
    meaning: "No plan of this organization has one of these `plan_codes`. Create it first, or leave the code out.",
  },
  only_one_limitation_type_per_coupon_allowed: {
    status: 405,
    meaning:
      "A coupon is limited to plans or to billable metrics, not to both. Send `plan_codes` or `billable_metric_codes`.",
  },
});
