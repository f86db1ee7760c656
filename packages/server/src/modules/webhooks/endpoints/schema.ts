/** Webhook endpoint: what the API takes and gives. */
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
    oneOf(SIGNATURE_ALGORITHMS, { description: "Of the header `X-Svc-Signature`; `jwt` unless it is given" }),
  ),
};
const webhookEndpointCreate = Type.Object(requested);
const webhookEndpointUpdate = Type.Partial(webhookEndpointCreate);
export type WebhookEndpointCreate = Static<typeof webhookEndpointCreate>;

const published = {
  svc_id: id(),
  svc_organization_id: id("The organization that it belongs to"),
  webhook_url: Type.String(),
  signature_algo: Type.String(),
  disabled_at: nullable(
    instant("It said 410, or took nothing for as long as a message is repeated. Change it and it is enabled again."),
  ),
  created_at: instant(),
};
/** Without the secret: an endpoint is told of other endpoints. */
export const publishedEndpointSchema = Type.Object(published);
const webhookEndpointSchema = Type.Object({
  ...published,
  secret: Type.String({
    description:
      "Key of both HMAC signatures. `X-Svc-Signature` takes this text as it is; `webhook-signature` takes what the Base64 behind `whsec_` stands for.",
  }),
});

const tags = ["Webhook endpoints"];
const params = Type.Object({ svc_id: Type.String() });
const response = { 200: envelope("webhook_endpoint", webhookEndpointSchema), ...ERROR_RESPONSES };

export const createWebhookEndpointSchema = {
  summary: "Create a webhook endpoint",
  description: "From now on it is told of every change; of none that happened before.",
  tags,
  body: envelope("webhook_endpoint", webhookEndpointCreate),
  response,
};
export const showWebhookEndpointSchema = { summary: "Show a webhook endpoint", tags, params, response };
export const changeWebhookEndpointSchema = {
  summary: "Change a webhook endpoint",
  description: "Only the members present in the body change. One that was disabled is enabled again.",
  tags,
  params,
  body: envelope("webhook_endpoint", webhookEndpointUpdate),
  response,
};
export const deleteWebhookEndpointSchema = {
  summary: "Delete a webhook endpoint",
  description: "What was not delivered to it yet is given up.",
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

/** The columns that a body changes: those whose member is present. */
export const fromApiWebhookEndpoint = ({ webhook_url, signature_algo }: Static<typeof webhookEndpointUpdate>) =>
  presentOnly({ webhook_url, signature_algo });
