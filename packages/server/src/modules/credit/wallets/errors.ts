import { defineErrors } from "../../../http/problem.ts";

export const walletErrors = defineErrors({
  wallet_not_found: { status: 404, meaning: "No wallet of this organization has that id. Create it first." },
  wallet_transaction_not_found: {
    status: 404,
    meaning: "No wallet transaction of this organization has that id. List those of the wallet.",
  },
  customer_not_found: {
    status: 422,
    meaning: "No customer of this organization has that `external_customer_id`. Create it first.",
  },
  wallet_is_terminated: { status: 422, meaning: "The wallet is terminated. Create another one." },
  insufficient_credits: { status: 422, meaning: "The wallet has fewer credits than the request voids." },
  amount_rounds_to_zero: {
    status: 422,
    meaning: "The credits are worth less than half the smallest unit of the currency. Send more credits.",
  },
  invalid_paid_credits: {
    status: 422,
    meaning: "The value is not a decimal string of 0 or more, or there are too many credits.",
  },
  invalid_granted_credits: {
    status: 422,
    meaning: "The value is not a decimal string of 0 or more, or there are too many credits.",
  },
  invalid_voided_credits: {
    status: 422,
    meaning: "The value is not a decimal string of 0 or more, or there are too many credits.",
  },
  invalid_amount: {
    status: 422,
    meaning: "The value is not a decimal string of 0 or more. Returned together with `invalid_paid_credits`.",
  },
  too_many_keys: { status: 422, meaning: "Metadata has at most 50 keys. Send fewer." },
  invalid_number_of_recurring_rules: { status: 422, meaning: "A wallet has at most one rule. Send a list of one." },
  invalid_recurring_rule: {
    status: 422,
    meaning:
      "The rule is incomplete: trigger `interval` needs `interval`, trigger `threshold` needs `threshold_credits`, method `target` needs `target_ongoing_balance`. Credits are decimal strings.",
  },
});
