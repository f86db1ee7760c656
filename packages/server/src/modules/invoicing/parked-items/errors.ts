import { defineErrors } from "../../../http/problem.ts";

export const parkedItemErrors = defineErrors({
  parked_item_not_found: { status: 404, meaning: "No parked item of this organization has that id." },
  parked_item_resolved: {
    status: 405,
    meaning: "It was retried or skipped already. Nothing is left to do: see its `status`.",
  },
  not_retryable: {
    status: 405,
    meaning:
      "The refund of a fee that stands alone is paid outside of the service. Pay it back by hand, then close it with POST /parked_items/{svc_id}/skip.",
  },
  not_skippable: {
    status: 405,
    meaning:
      "It changes what a subscription is, so its life cannot go on without it. Correct what the `reason` says and retry it, or end the subscription.",
  },
  cannot_be_billed: {
    status: 422,
    meaning:
      "An amount would be above 9,007,199,254,740,991 minor units, or an invoice would have more than 10,000 fees. Correct the price or the quantity and try again.",
  },
});
