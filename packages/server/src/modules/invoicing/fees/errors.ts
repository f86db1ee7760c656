import { defineErrors } from "../../../http/problem.ts";

export const feeErrors = defineErrors({
  fee_not_found: { status: 404, meaning: "No fee of this organization has that id." },
  invoiced_fee: {
    status: 405,
    meaning: "The fee is on an invoice and is paid with it. Change the payment status of the invoice.",
  },
  paid_fee: {
    status: 405,
    meaning:
      "The fee was paid, or paid and refunded, so it cannot be deleted. If the payment failed, first set its payment status to `failed`.",
  },
});
