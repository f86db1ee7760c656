import { defineErrors } from "../../../http/problem.ts";

export const invoiceErrors = defineErrors({
  invoice_not_found: {
    status: 404,
    meaning: "No invoice of this organization has that id, or it is no draft any more and cannot be finalized again.",
  },
  fees_not_found: { status: 404, meaning: "A one-off invoice needs at least one fee. Send `fees`." },
  currencies_does_not_match: {
    status: 422,
    meaning: "The customer pays in another currency. Bill it in that one, with add-ons that are priced in it.",
  },
  metadata_on_draft_invoice: {
    status: 405,
    meaning: "A draft has no metadata. Finalize the invoice first.",
  },
  payment_status_update_on_draft_invoice: {
    status: 405,
    meaning: "A draft cannot be paid, for it may still change. Finalize the invoice first.",
  },
  update_on_voided_invoice: { status: 405, meaning: "A voided invoice asks for no payment. Leave it is." },
  not_voidable: {
    status: 405,
    meaning:
      "Only a finalized invoice can be voided that is not paid, of which nothing was credited, refunded or written off, whose dispute was not lost, and whose prepaid credits are not spent. Make a credit note, or write off what is due.",
  },
  not_disputable: { status: 405, meaning: "Only a finalized invoice can be disputed." },
  invalid_status: {
    status: 405,
    meaning: "Only an invoice whose making failed can be retried; this one did not fail.",
  },
  invalid_count: { status: 422, meaning: "Too many metadata pairs: at most 5." },
});
