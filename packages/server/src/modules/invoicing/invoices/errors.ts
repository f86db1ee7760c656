import { defineErrors } from "../../../http/problem.ts";

export const invoiceErrors = defineErrors({
  invoice_not_found: {
    status: 404,
    meaning: "No invoice of this organization has that id, or it is no longer a draft and cannot be finalized again.",
  },
  fees_not_found: { status: 404, meaning: "A one-off invoice needs at least one fee. Send `fees`." },
  currencies_does_not_match: {
    status: 422,
    meaning: "The customer's currency differs. Bill the customer in its currency, with add-ons priced in it.",
  },
  metadata_on_draft_invoice: {
    status: 405,
    meaning: "A draft has no metadata. Finalize the invoice first.",
  },
  payment_status_update_on_draft_invoice: {
    status: 405,
    meaning: "A draft can still change, so it cannot be paid. Finalize the invoice first.",
  },
  update_on_voided_invoice: { status: 405, meaning: "A voided invoice needs no payment. Leave it as it is." },
  not_voidable: {
    status: 405,
    meaning:
      "Only a finalized, unpaid invoice can be voided, if nothing of it was credited, refunded or written off, its dispute was not lost, and its prepaid credits are unspent. Otherwise create a credit note, or write off the amount due.",
  },
  not_disputable: { status: 405, meaning: "Only a finalized invoice can be disputed." },
  invalid_status: {
    status: 405,
    meaning: "Only a failed invoice can be retried. This one did not fail.",
  },
  nothing_to_invoice: {
    status: 405,
    meaning:
      "The subscription ends before its next invoice, and `on_termination_invoice` is `skip`, so there is no invoice to preview. Set it to `generate`, or change `ending_at`.",
  },
  invalid_count: { status: 422, meaning: "There are too many metadata pairs. Send at most 5." },
});
