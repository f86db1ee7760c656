import { defineErrors } from "../../../http/problem.ts";

export const webhookEndpointErrors = defineErrors({
  webhook_endpoint_not_found: { status: 404, meaning: "No webhook endpoint of this organization has that id." },
  exceeded_limit: {
    status: 422,
    meaning: "An organization has at most 10 webhook endpoints. Delete or change an existing one.",
  },
});
