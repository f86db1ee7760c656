import { defineErrors } from "../../../http/problem.ts";

export const creditNoteErrors = defineErrors({
  credit_note_not_found: { status: 404, meaning: "No credit note of this organization has that id." },
  invalid_type_or_status: {
    status: 405,
    meaning:
      "Only a finalized invoice can be credited or refunded; one for prepaid credits only once it is paid. Nothing is given back of a voided one.",
  },
  no_voidable_amount: { status: 405, meaning: "The note has no balance: it is used up, or void already." },
  must_be_an_array: { status: 422, meaning: "`items` is a list of fees and amounts." },
  invalid_value: { status: 422, meaning: "An item cannot credit less than nothing." },
  higher_than_remaining_fee_amount: {
    status: 422,
    meaning: "An item credits more of its fee than earlier credit notes left. Ask for an estimate to see what is left.",
  },
  higher_than_remaining_invoice_amount: {
    status: 422,
    meaning: "More than earlier credit notes left of the invoice, or more than was paid of it in money.",
  },
  cannot_refund_unpaid_invoice: {
    status: 422,
    meaning: "Nothing was paid, so nothing can be refunded. Credit it instead, or mark the invoice as paid first.",
  },
  does_not_match_item_amounts: {
    status: 422,
    meaning:
      "Credit and refund together must be the items, less their share of coupons, plus taxes. Ask for an estimate first.",
  },
  total_amount_must_be_positive: { status: 422, meaning: "The note would give back nothing." },
});
