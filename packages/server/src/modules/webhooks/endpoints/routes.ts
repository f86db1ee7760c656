/** CRUD of /webhook_endpoints, by id, and the public key for verifying signatures. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { readPage, toApiMeta } from "../../../http/pagination.ts";
import type { Clock } from "../../../platform/clock.ts";
import { changeEndpoint, createEndpoint, deleteEndpoint, found } from "./save-endpoint.ts";
import {
  changeWebhookEndpointSchema,
  createWebhookEndpointSchema,
  deleteWebhookEndpointSchema,
  fromApiWebhookEndpoint,
  listWebhookEndpointsSchema,
  showJsonPublicKeySchema,
  showPublicKeySchema,
  showWebhookEndpointSchema,
  toApiWebhookEndpoint,
} from "./schema.ts";
import { publicKeyOf } from "./signing-key.ts";
import { findEndpoint, pageOfEndpoints } from "./store.ts";

export const webhookEndpointRoutes =
  (clock: Clock): FastifyPluginAsyncTypebox =>
  async (app) => {
    const config = { permission: "webhook_endpoint" };

    app.post("/webhook_endpoints", { schema: createWebhookEndpointSchema, config }, (request) =>
      request.write(async (tx, organizationId) => {
        const row = await createEndpoint(tx, organizationId, request.body.webhook_endpoint, clock);
        return { webhook_endpoint: toApiWebhookEndpoint(row) };
      }),
    );

    app.get("/webhook_endpoints", { schema: listWebhookEndpointsSchema, config }, (request) =>
      request.read(async (tx, organizationId) => {
        const page = readPage(request.query);
        const { rows, total } = await pageOfEndpoints(tx, organizationId, page);
        return { webhook_endpoints: rows.map(toApiWebhookEndpoint), meta: toApiMeta(page, total) };
      }),
    );

    app.get("/webhook_endpoints/:svc_id", { schema: showWebhookEndpointSchema, config }, (request) =>
      request.read(async (tx, organizationId) => {
        const row = found(await findEndpoint(tx, organizationId, request.params.svc_id));
        return { webhook_endpoint: toApiWebhookEndpoint(row) };
      }),
    );

    app.put("/webhook_endpoints/:svc_id", { schema: changeWebhookEndpointSchema, config }, (request) =>
      request.write(async (tx, organizationId) => {
        const addressed = { organizationId, id: request.params.svc_id };
        const changes = fromApiWebhookEndpoint(request.body.webhook_endpoint);
        return { webhook_endpoint: toApiWebhookEndpoint(await changeEndpoint(tx, addressed, changes, clock)) };
      }),
    );

    app.delete("/webhook_endpoints/:svc_id", { schema: deleteWebhookEndpointSchema, config }, (request) =>
      request.write(async (tx, organizationId) => ({
        webhook_endpoint: toApiWebhookEndpoint(await deleteEndpoint(tx, organizationId, request.params.svc_id, clock)),
      })),
    );
  };

/** The first request creates the key. */
export const publicKeyRoutes =
  (clock: Clock): FastifyPluginAsyncTypebox =>
  async (app) => {
    const config = { permission: "webhook_jwt_public_key" };

    app.get("/webhooks/public_key", { schema: showPublicKeySchema, config }, async (request, reply) => {
      reply.type("text/plain");
      return request.write((tx, organizationId) => publicKeyOf(tx, organizationId, clock));
    });

    app.get("/webhooks/json_public_key", { schema: showJsonPublicKeySchema, config }, (request) =>
      request.write(async (tx, organizationId) => ({
        webhook: { public_key: await publicKeyOf(tx, organizationId, clock) },
      })),
    );
  };
