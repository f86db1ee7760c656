/** CRUD of /webhook_endpoints, by id, the rotation of their secrets, and the public key for verifying signatures. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { Clock } from "../../../platform/clock.ts";
import type { OutboundHttp } from "../../../platform/outbound-http/outbound-http.ts";
import type { Vault } from "../../accounts/index.ts";
import { changeEndpoint, createEndpoint, deleteEndpoint, found, refusalOfUrl, rotateSecret } from "./save-endpoint.ts";
import {
  changeWebhookEndpointSchema,
  createWebhookEndpointSchema,
  deleteWebhookEndpointSchema,
  listWebhookEndpointsSchema,
  rotateSecretSchema,
  showJsonPublicKeySchema,
  showPublicKeySchema,
  showWebhookEndpointSchema,
  toApiWebhookEndpoint,
  toApiWithSecret,
  webhookEndpointList,
} from "./schema.ts";
import { publicKeyOf } from "./signing-key.ts";
import { findEndpoint, lockEndpoint, pageOfEndpoints } from "./store.ts";

type Deps = { clock: Clock; vault: Vault; outbound: OutboundHttp; messageTypes: readonly string[] };

export const webhookEndpointRoutes =
  ({ clock, vault, outbound, messageTypes }: Deps): FastifyPluginAsyncTypebox =>
  async (app) => {
    const config = { permission: "webhook_endpoint" };
    const showing = { ...config, showsSecret: true };

    app.post(
      "/webhook_endpoints",
      { schema: createWebhookEndpointSchema(messageTypes), config: showing },
      async (request) => {
        const requested = request.body.webhook_endpoint;
        const refused = await refusalOfUrl(outbound, requested.webhook_url);
        return request.write(async (tx, organizationId) => {
          if (refused) throw refused;
          return {
            webhook_endpoint: toApiWithSecret(await createEndpoint(tx, organizationId, requested, { clock, vault })),
          };
        });
      },
    );

    app.get("/webhook_endpoints", { schema: listWebhookEndpointsSchema, config }, (request) =>
      request.read(async (tx, organizationId) => {
        const { rows, meta } = await pageOfEndpoints(tx, organizationId, webhookEndpointList.read(request.query));
        return { webhook_endpoints: rows.map(toApiWebhookEndpoint), meta };
      }),
    );

    app.get("/webhook_endpoints/:svc_id", { schema: showWebhookEndpointSchema, config }, (request) =>
      request.read(async (tx, organizationId) => {
        const row = found(await findEndpoint(tx, organizationId, request.params.svc_id));
        return { webhook_endpoint: toApiWebhookEndpoint(row) };
      }),
    );

    const changing = { schema: changeWebhookEndpointSchema(messageTypes), config };
    app.put("/webhook_endpoints/:svc_id", changing, async (request) => {
      const requested = request.body.webhook_endpoint;
      const refused = await refusalOfUrl(outbound, requested.webhook_url);
      return request.write(async (tx, organizationId) => {
        const { svc_id: id } = request.params;
        const { webhook_url } = found(await lockEndpoint(tx, organizationId, id));
        // A URL that was set under earlier rules may be sent back as it was read.
        if (refused && requested.webhook_url !== webhook_url) throw refused;
        const addressed = { organizationId, id };
        return { webhook_endpoint: toApiWebhookEndpoint(await changeEndpoint(tx, addressed, requested, clock)) };
      });
    });

    app.post("/webhook_endpoints/:svc_id/rotate_secret", { schema: rotateSecretSchema, config: showing }, (request) =>
      request.write(async (tx, organizationId) => ({
        webhook_endpoint: toApiWithSecret(
          await rotateSecret(tx, organizationId, request.params.svc_id, { clock, vault }),
        ),
      })),
    );

    app.delete("/webhook_endpoints/:svc_id", { schema: deleteWebhookEndpointSchema, config }, (request) =>
      request.write(async (tx, organizationId) => ({
        webhook_endpoint: toApiWebhookEndpoint(await deleteEndpoint(tx, organizationId, request.params.svc_id, clock)),
      })),
    );
  };

/** The first request creates the key. */
export const publicKeyRoutes =
  (deps: { clock: Clock; vault: Vault }): FastifyPluginAsyncTypebox =>
  async (app) => {
    const config = { permission: "webhook_jwt_public_key" };

    app.get("/webhooks/public_key", { schema: showPublicKeySchema, config }, async (request, reply) => {
      reply.type("text/plain");
      return request.write((tx, organizationId) => publicKeyOf(tx, organizationId, deps));
    });

    app.get("/webhooks/json_public_key", { schema: showJsonPublicKeySchema, config }, (request) =>
      request.write(async (tx, organizationId) => ({
        webhook: { public_key: await publicKeyOf(tx, organizationId, deps) },
      })),
    );
  };
