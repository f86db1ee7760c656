import { defineErrors } from "../../../http/problem.ts";

export const webhookEndpointErrors = defineErrors({
  webhook_endpoint_not_found: { status: 404, meaning: "No webhook endpoint of this organization has that id." },
  exceeded_limit: {
    status: 422,
    meaning: "The organization has as many webhook endpoints as it may have (10). Delete one, or change it.",
  },
});
