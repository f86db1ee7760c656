import { defineErrors } from "../../http/problem.ts";

export const customerErrors = defineErrors({
  customer_not_found: { status: 404, meaning: "No customer of this organization has that external_id." },
  invalid_count: { status: 422, meaning: "Too many metadata pairs: at most 5." },
});
