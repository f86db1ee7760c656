import { defineErrors } from "../../../http/problem.ts";

export const parkedItemErrors = defineErrors({
  parked_item_not_found: { status: 404, meaning: "No parked item of this organization has that id." },
  parked_item_resolved: {
    status: 405,
    meaning: "The item was already retried or skipped. Nothing is left to do: see its `status`.",
  },
  not_retryable: {
    status: 405,
    meaning:
      "A standalone fee is refunded outside of the service. Refund it manually, then close the item with POST /parked_items/{svc_id}/skip.",
  },
  not_skippable: {
    status: 405,
    meaning:
      "The item changes the state of a subscription, which cannot continue without it. Fix what the `reason` says and retry it, or end the subscription.",
  },
  cannot_be_billed: {
    status: 422,
    meaning:
      "An amount would exceed 9,007,199,254,740,991 minor units, or an invoice would have more than 10,000 fees. Correct the price or the quantity and try again.",
  },
});
