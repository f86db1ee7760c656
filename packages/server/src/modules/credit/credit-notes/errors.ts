import { defineErrors } from "../../../http/problem.ts";

export const creditNoteErrors = defineErrors({
  credit_note_not_found: { status: 404, meaning: "No credit note of this organization has that id." },
  invalid_type_or_status: {
    status: 405,
    meaning:
      "Only a finalized invoice can be credited or refunded, and an invoice for prepaid credits only after it is paid. A voided invoice cannot be credited.",
  },
  no_voidable_amount: { status: 405, meaning: "The note has no balance: it is used up or already void." },
  must_be_an_array: { status: 422, meaning: "`items` is not a list. Send a list of fees and amounts." },
  invalid_value: { status: 422, meaning: "The amount of an item cannot be negative." },
  higher_than_remaining_fee_amount: {
    status: 422,
    meaning: "An item exceeds what earlier credit notes left of its fee. Request an estimate to see what is left.",
  },
  higher_than_remaining_invoice_amount: {
    status: 422,
    meaning: "The amount exceeds what earlier credit notes left of the invoice, or what was paid for it in money.",
  },
  cannot_refund_unpaid_invoice: {
    status: 422,
    meaning: "Nothing was paid, so nothing can be refunded. Credit it instead, or mark the invoice as paid first.",
  },
  does_not_match_item_amounts: {
    status: 422,
    meaning:
      "Credit and refund together must equal the items, less their share of coupons, plus taxes. Request an estimate first.",
  },
  total_amount_must_be_positive: { status: 422, meaning: "The total of the note would be 0." },
});
