import { defineErrors } from "../../../http/problem.ts";

export const walletErrors = defineErrors({
  wallet_not_found: { status: 404, meaning: "No wallet of this organization has that id. Create it first." },
  customer_not_found: {
    status: 422,
    meaning: "No customer of this organization has that `external_customer_id`. Create it first.",
  },
  wallet_is_terminated: { status: 422, meaning: "The wallet has ended. Create another one." },
  insufficient_credits: { status: 422, meaning: "The wallet holds fewer credits than are to be voided." },
  amount_rounds_to_zero: {
    status: 422,
    meaning: "The credits are worth less than half the smallest unit of the currency. Send more of them.",
  },
  invalid_paid_credits: { status: 422, meaning: "Not a decimal of 0 or more as text, or too many credits." },
  invalid_granted_credits: { status: 422, meaning: "Not a decimal of 0 or more as text, or too many credits." },
  invalid_voided_credits: { status: 422, meaning: "Not a decimal of 0 or more as text, or too many credits." },
  invalid_amount: { status: 422, meaning: "Not a decimal of 0 or more as text. Beside `invalid_paid_credits`." },
  invalid_number_of_recurring_rules: { status: 422, meaning: "A wallet has one rule at most. Send a list of one." },
  invalid_recurring_rule: {
    status: 422,
    meaning:
      "The rule lacks something: `interval` or `threshold_credits` by its trigger, `target_ongoing_balance` for the method `target`, credits as decimals in text.",
  },
});
