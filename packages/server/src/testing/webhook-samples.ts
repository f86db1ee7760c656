/** Sample requests about webhooks and their endpoints. */
import { aWebhookEndpoint, givenRoomForEndpoint, givenWebhook, givenWebhookEndpoint } from "./sample-records.ts";

export const WEBHOOK_SAMPLES = {
  "POST /webhook_endpoints": {
    permission: "webhook_endpoint",
    given: givenRoomForEndpoint,
    body: aWebhookEndpoint,
  },
  "GET /webhook_endpoints": { permission: "webhook_endpoint" },
  "GET /webhook_endpoints/:svc_id": { permission: "webhook_endpoint", given: givenWebhookEndpoint },
  "PUT /webhook_endpoints/:svc_id": {
    permission: "webhook_endpoint",
    given: givenWebhookEndpoint,
    body: () => ({ webhook_endpoint: { signature_algo: "jwt" } }),
  },
  "POST /webhook_endpoints/:svc_id/rotate_secret": {
    permission: "webhook_endpoint",
    given: givenWebhookEndpoint,
    isAction: true as const,
  },
  "DELETE /webhook_endpoints/:svc_id": { permission: "webhook_endpoint", given: givenWebhookEndpoint },
  "GET /webhooks/public_key": { permission: "webhook_jwt_public_key" },
  "GET /webhooks/json_public_key": { permission: "webhook_jwt_public_key" },
  "GET /messages": { permission: "message" },
  "GET /webhooks": { permission: "webhook_endpoint" },
  "GET /webhooks/:svc_id": { permission: "webhook_endpoint", missing: "webhook_not_found", given: givenWebhook },
  "POST /webhooks/:svc_id/retry": {
    permission: "webhook_endpoint",
    missing: "webhook_not_found",
    given: givenWebhook,
    isAction: true as const,
  },
  "POST /webhooks/replay": {
    permission: "webhook_endpoint",
    body: () => ({
      replay: {
        webhook_endpoint_id: "01900000-0000-7000-8000-000000000000",
        webhook_type: "invoice.created",
        object_id: "01900000-0000-7000-8000-000000000000",
        status: "failed",
        created_at_from: "2026-01-01T00:00:00Z",
        created_at_to: "2026-01-31T00:00:00Z",
      },
    }),
    ignored: ["webhook_endpoint_id", "webhook_type", "object_id", "status", "created_at_from", "created_at_to"],
  },
};
