import { defineErrors } from "../../../http/problem.ts";

export const webhookLogErrors = defineErrors({
  webhook_not_found: {
    status: 404,
    meaning: "No webhook of this organization has that id. Webhooks are deleted after 90 days.",
  },
  webhook_endpoint_disabled: {
    status: 405,
    meaning: "The webhook's endpoint is disabled. Change the endpoint, which enables it, and try again.",
  },
  webhook_endpoint_deleted: {
    status: 405,
    meaning: "The webhook's endpoint is deleted, so nothing is sent to it anymore.",
  },
});
