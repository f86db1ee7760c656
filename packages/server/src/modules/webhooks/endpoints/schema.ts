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
  text,
  toApiInstant,
  toApiInstantOrNull,
} from "../../../http/fields.ts";
import { declareList } from "../../../http/list-query.ts";
import { namedObject } from "../../../http/named-object.ts";
import { ERROR_RESPONSES } from "../../../http/openapi.ts";
import { listEnvelope } from "../../../http/pagination.ts";
import type { DB } from "../../../platform/postgres/schema.ts";

export type WebhookEndpointRow = Selectable<DB["webhook_endpoints"]>;
export type SealedEndpoint = Pick<
  WebhookEndpointRow,
  "organization_id" | "id" | "secret" | "old_secrets" | "sealed_secrets" | "data_key_version"
>;

const SIGNATURE_ALGORITHMS = ["jwt", "hmac"] as const;

/** Of a secret, at its end. */
export const SHOWN_CHARACTERS = 4;

/** In `event_types`: every type. */
const ALL_TYPES = "*";

const webhookEndpointCreate = (messageTypes: readonly string[]) =>
  namedObject("WebhookEndpointCreate", {
    webhook_url: formatted("web-url", {
      description:
        "Unique in the organization. An https URL with a public name, on port 443 or 8443; for development, the setting " +
        "`OUTBOUND_TRUSTED_HOSTS` names hosts that may be private",
    }),
    name: Type.Optional(nullable(text(255, "A name for people"))),
    event_types: Type.Optional(
      nullable(
        Type.Array(oneOf([...messageTypes, ALL_TYPES], { title: "WebhookTypeOrAll", "x-code": "unsupported_value" }), {
          maxItems: 200,
          description: "The types of messages that the endpoint receives. Null, an empty list or `*`: all",
        }),
      ),
    ),
    signature_algo: Type.Optional(
      oneOf(SIGNATURE_ALGORITHMS, { description: "Algorithm of the header `X-Svc-Signature`; the default is `hmac`" }),
    ),
  });
const webhookEndpointUpdate = (messageTypes: readonly string[]) =>
  Type.Partial(webhookEndpointCreate(messageTypes), { title: "WebhookEndpointUpdate" });
export type WebhookEndpointCreate = Static<ReturnType<typeof webhookEndpointCreate>>;

const published = {
  svc_id: id(),
  svc_organization_id: id("The organization of the endpoint"),
  webhook_url: Type.String(),
  name: nullable(Type.String()),
  event_types: nullable(
    Type.Array(Type.String(), { description: "The types of messages that it receives; null: all" }),
  ),
  signature_algo: Type.String(),
  disabled_at: nullable(
    instant(
      "Set if the endpoint answered 410, or accepted nothing for as long as a message is retried. Any change enables it again.",
    ),
  ),
  created_at: instant(),
};
/** Without the secret: messages about an endpoint go to other endpoints. */
export const publishedEndpointSchema = namedObject("WebhookEndpointWithoutSecret", published);
const webhookEndpointSchema = namedObject("WebhookEndpoint", {
  ...published,
  secret: nullable(
    Type.String({
      description:
        "Key of both HMAC signatures. `X-Svc-Signature` uses this text as is; `webhook-signature` uses the bytes that the Base64 after " +
        "`whsec_` encodes. Only the responses that create the endpoint or rotate its secret show it; all others have null.",
    }),
  ),
  secret_last4: Type.String({ description: "The last four characters of the secret" }),
});

const tags = ["Webhook endpoints"];
const params = Type.Object({ svc_id: Type.String() });
const response = { 200: envelope("webhook_endpoint", webhookEndpointSchema), ...ERROR_RESPONSES };

export const createWebhookEndpointSchema = (messageTypes: readonly string[]) => ({
  summary: "Create a webhook endpoint",
  description:
    "The endpoint receives every change from now on, and no earlier ones. Keep the `secret` of the response: it is not shown again.",
  tags,
  body: envelope("webhook_endpoint", webhookEndpointCreate(messageTypes)),
  response,
});
export const showWebhookEndpointSchema = {
  summary: "Show a webhook endpoint",
  description: "With its state.",
  tags,
  params,
  response,
};
export const changeWebhookEndpointSchema = (messageTypes: readonly string[]) => ({
  summary: "Change a webhook endpoint",
  description: "Only the members present in the body change. A disabled endpoint is enabled again.",
  tags,
  params,
  body: envelope("webhook_endpoint", webhookEndpointUpdate(messageTypes)),
  response,
});
export const rotateSecretSchema = {
  summary: "Replace the secret of a webhook endpoint",
  description:
    "The response shows the new secret, once. For 24 hours, `webhook-signature` has a signature with the new secret and one with the old " +
    "secret, separated by a space; `X-Svc-Signature` uses the new secret at once.",
  tags,
  params,
  response,
};
export const deleteWebhookEndpointSchema = {
  summary: "Delete a webhook endpoint",
  description: "Messages that were not delivered to it yet are given up.",
  tags,
  params,
  response,
};
export const webhookEndpointList = declareList({ sorts: ["-created_at"], search: "URL" });
export const listWebhookEndpointsSchema = {
  summary: "List webhook endpoints",
  description: "Newest first.",
  tags,
  querystring: webhookEndpointList.querystring,
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
  description: "To check the header `X-Svc-Signature` of endpoints whose algorithm is `jwt`.",
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
  name: row.name,
  event_types: row.event_types,
  signature_algo: row.signature_algo,
  disabled_at: toApiInstantOrNull(row.disabled_at),
  created_at: toApiInstant(row.created_at),
});

export const toApiWebhookEndpoint = (row: WebhookEndpointRow): Static<typeof webhookEndpointSchema> => ({
  ...toPublishedEndpoint(row),
  secret: null,
  secret_last4: row.secret_last4 ?? (row.secret ?? "").slice(-SHOWN_CHARACTERS),
});

/** For the responses that show the secret. */
export const toApiWithSecret = ({
  row,
  secret,
}: {
  row: WebhookEndpointRow;
  secret: string;
}): Static<typeof webhookEndpointSchema> => ({
  ...toApiWebhookEndpoint(row),
  secret,
});

/** The columns that a body changes: only members present in the body. */
export const fromApiWebhookEndpoint = ({
  webhook_url,
  name,
  event_types,
  signature_algo,
}: Partial<WebhookEndpointCreate>) =>
  presentOnly({
    webhook_url,
    name,
    event_types: event_types === undefined ? undefined : toEventTypes(event_types ?? []),
    signature_algo,
  });

/** null: all. */
const toEventTypes = (requested: readonly string[]): string[] | null =>
  requested.length === 0 || requested.includes(ALL_TYPES) ? null : [...new Set(requested)];
