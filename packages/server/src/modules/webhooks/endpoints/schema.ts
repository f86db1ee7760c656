/** Webhook endpoint: the API's requests and responses. */
import { type Static, Type } from "@fastify/type-provider-typebox";
import type { Selectable } from "kysely";
import {
  envelope,
  formatted,
  id,
  instant,
  nullable,
  oneOf,
  presentOnly,
  toApiInstant,
  toApiInstantOrNull,
} from "../../../http/fields.ts";
import { ERROR_RESPONSES } from "../../../http/openapi.ts";
import { listEnvelope, pageQuery } from "../../../http/pagination.ts";
import type { DB } from "../../../platform/postgres/schema.ts";

export type WebhookEndpointRow = Selectable<DB["webhook_endpoints"]>;

const SIGNATURE_ALGORITHMS = ["jwt", "hmac"] as const;

const requested = {
  webhook_url: formatted("web-url", { description: "Unique in the organization" }),
  signature_algo: Type.Optional(
    oneOf(SIGNATURE_ALGORITHMS, { description: "Algorithm of the header `X-Svc-Signature`; the default is `jwt`" }),
  ),
};
const webhookEndpointCreate = Type.Object(requested);
const webhookEndpointUpdate = Type.Partial(webhookEndpointCreate);
export type WebhookEndpointCreate = Static<typeof webhookEndpointCreate>;

const published = {
  svc_id: id(),
  svc_organization_id: id("The organization of the endpoint"),
  webhook_url: Type.String(),
  signature_algo: Type.String(),
  disabled_at: nullable(
    instant(
      "Set if the endpoint answered 410, or accepted nothing for as long as a message is retried. Any change enables it again.",
    ),
  ),
  created_at: instant(),
};
/** Without the secret: messages about an endpoint go to other endpoints. */
export const publishedEndpointSchema = Type.Object(published);
const webhookEndpointSchema = Type.Object({
  ...published,
  secret: Type.String({
    description:
      "Key of both HMAC signatures. `X-Svc-Signature` uses this text as is; `webhook-signature` uses the bytes that the Base64 after `whsec_` encodes.",
  }),
});

const tags = ["Webhook endpoints"];
const params = Type.Object({ svc_id: Type.String() });
const response = { 200: envelope("webhook_endpoint", webhookEndpointSchema), ...ERROR_RESPONSES };

export const createWebhookEndpointSchema = {
  summary: "Create a webhook endpoint",
  description: "The endpoint receives every change from now on, and no earlier ones.",
  tags,
  body: envelope("webhook_endpoint", webhookEndpointCreate),
  response,
};
export const showWebhookEndpointSchema = { summary: "Show a webhook endpoint", tags, params, response };
export const changeWebhookEndpointSchema = {
  summary: "Change a webhook endpoint",
  description: "Only the members present in the body change. A disabled endpoint is enabled again.",
  tags,
  params,
  body: envelope("webhook_endpoint", webhookEndpointUpdate),
  response,
};
export const deleteWebhookEndpointSchema = {
  summary: "Delete a webhook endpoint",
  description: "Messages that were not delivered to it yet are given up.",
  tags,
  params,
  response,
};
export const listWebhookEndpointsSchema = {
  summary: "List webhook endpoints",
  tags,
  querystring: Type.Object(pageQuery),
  response: { 200: listEnvelope("webhook_endpoints", webhookEndpointSchema), ...ERROR_RESPONSES },
};

const keyTags = ["Webhooks"];
export const showPublicKeySchema = {
  summary: "Show the public key of JWT signatures, as text",
  description: "Base64 of the PEM. The same as in `json_public_key`.",
  tags: keyTags,
  produces: ["text/plain"],
  response: { 200: Type.String(), ...ERROR_RESPONSES },
};
export const showJsonPublicKeySchema = {
  summary: "Show the public key of JWT signatures",
  tags: keyTags,
  response: {
    200: envelope("webhook", Type.Object({ public_key: Type.String({ description: "Base64 of the PEM" }) })),
    ...ERROR_RESPONSES,
  },
};

export const toPublishedEndpoint = (row: WebhookEndpointRow): Static<typeof publishedEndpointSchema> => ({
  svc_id: row.id,
  svc_organization_id: row.organization_id,
  webhook_url: row.webhook_url,
  signature_algo: row.signature_algo,
  disabled_at: toApiInstantOrNull(row.disabled_at),
  created_at: toApiInstant(row.created_at),
});

export const toApiWebhookEndpoint = (row: WebhookEndpointRow): Static<typeof webhookEndpointSchema> => ({
  ...toPublishedEndpoint(row),
  secret: row.secret,
});

/** The columns that a body changes: only members present in the body. */
export const fromApiWebhookEndpoint = ({ webhook_url, signature_algo }: Static<typeof webhookEndpointUpdate>) =>
  presentOnly({ webhook_url, signature_algo });
