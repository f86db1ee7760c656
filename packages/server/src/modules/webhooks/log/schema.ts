/** The log of deliveries: the API's requests and responses. */
import { type Static, Type } from "@fastify/type-provider-typebox";
import { parseInstant } from "@tallystick/core/time";
import type { Selectable } from "kysely";
import {
  anyMembers,
  envelope,
  formatted,
  id,
  instant,
  nullable,
  oneOf,
  toApiInstant,
  toApiInstantOrNull,
} from "../../../http/fields.ts";
import { declareList, type ListRequest } from "../../../http/list-query.ts";
import { namedObject } from "../../../http/named-object.ts";
import { ERROR_RESPONSES } from "../../../http/openapi.ts";
import { listEnvelope } from "../../../http/pagination.ts";
import type { DB } from "../../../platform/postgres/schema.ts";

export type DeliveryRow = Selectable<DB["webhook_deliveries"]>;
export type MessageRow = Pick<Selectable<DB["outbox"]>, "id" | "webhook_type" | "object_type" | "object_id">;
export type AttemptRow = Selectable<DB["webhook_attempts"]>;
/** A delivery with its message and attempts. */
export type LoggedDelivery = { delivery: DeliveryRow; message: MessageRow; attempts: readonly AttemptRow[] };

const STATUSES = ["pending", "retrying", "succeeded", "failed"] as const;

const attemptSchema = namedObject("WebhookAttempt", {
  number: Type.Integer({ description: "Counted from 1. Earlier attempts are kept when a webhook is sent again" }),
  url: Type.String(),
  request_headers: anyMembers<string>("As sent, without the long `X-Svc-Signature`"),
  started_at: instant(),
  duration_ms: Type.Integer({ description: "Until the response was read, or the attempt failed" }),
  http_status: nullable(Type.Integer()),
  response_body: nullable(Type.String({ description: "The first 4,096 characters" })),
  error: nullable(Type.String({ description: "Why there was no response", examples: ["timed_out"] })),
});

const members = {
  svc_id: id(),
  unique_key: Type.String({
    description:
      "Id of the message, the same for every endpoint and on every attempt: `webhook-id` and `X-Svc-Unique-Key` in the request",
  }),
  svc_webhook_endpoint_id: id("The endpoint, which may have been deleted since"),
  webhook_type: Type.String(),
  object_type: Type.String(),
  object_id: id("The object of the message"),
  status: oneOf(STATUSES, {
    description:
      "`pending`: not tried yet. `retrying`: will be tried again. `succeeded`: delivered. `failed`: given up, or its endpoint is disabled or deleted.",
  }),
  http_status: nullable(Type.Integer({ description: "Status of the last attempt" })),
  last_error: nullable(Type.String({ description: "Why there was no response, or no attempt" })),
  next_attempt_at: nullable(instant("Earliest time of the next attempt; null once the webhook is settled")),
  created_at: instant(),
  settled_at: nullable(instant("When it succeeded or was given up")),
  replayed_at: nullable(instant("When it was last sent again on request")),
  attempts: Type.Array(attemptSchema, { description: "Oldest first" }),
};
const webhookSchema = namedObject("Webhook", members);
const shownSchema = namedObject("WebhookWithPayload", {
  ...members,
  payload: Type.String({ description: "The exact text that is sent on every attempt" }),
});

const moment = (description: string) =>
  formatted("datetime", { description: `ISO 8601, inclusive. ${description}`, examples: ["2026-01-31T00:00:00Z"] });
const from = moment("Only webhooks created then or later");
const filterBy = (messageTypes: readonly string[]) => ({
  webhook_endpoint_id: Type.Optional(Type.String()),
  webhook_type: Type.Optional(oneOf(messageTypes, { title: "WebhookType" })),
  object_id: Type.Optional(Type.String({ description: "`svc_id` of the object of the messages" })),
  status: Type.Optional(oneOf(STATUSES)),
  created_at_to: Type.Optional(moment("Only webhooks created then or earlier")),
});
const replayFilter = (messageTypes: readonly string[]) =>
  namedObject("WebhookReplayCreate", { ...filterBy(messageTypes), created_at_from: from });
type ApiFilter = Partial<Static<ReturnType<typeof replayFilter>>>;

export const webhookList = (messageTypes: readonly string[]) =>
  declareList({
    sorts: ["-created_at"],
    choices: { status: STATUSES, webhook_type: messageTypes },
    texts: {
      webhook_endpoint_id: Type.String(),
      object_id: Type.String({ description: "`svc_id` of the object of the messages" }),
      created_at_from: from,
      created_at_to: moment("Only webhooks created then or earlier"),
    },
  });

const tags = ["Webhooks"];
const params = Type.Object({ svc_id: Type.String() });

export const listWebhooksSchema = (messageTypes: readonly string[]) => ({
  summary: "List webhooks",
  description:
    "A webhook is a message for an endpoint, with every attempt to deliver it. Newest first. Webhooks are kept for 90 days.",
  tags,
  querystring: webhookList(messageTypes).querystring,
  response: { 200: listEnvelope("webhooks", webhookSchema), ...ERROR_RESPONSES },
});
export const showWebhookSchema = {
  summary: "Show a webhook, with its payload",
  description: "And with every attempt to deliver it.",
  tags,
  params,
  response: { 200: envelope("webhook", shownSchema), ...ERROR_RESPONSES },
};
export const retryWebhookSchema = {
  summary: "Send a webhook again",
  description:
    "Works for failed, delivered and waiting webhooks. The webhook is sent as soon as its endpoint accepts attempts, under the same id, in " +
    "the same bytes. A settled webhook gets its full number of attempts again. An attempt in progress is not duplicated.",
  tags,
  params,
  response: { 200: envelope("webhook", webhookSchema), ...ERROR_RESPONSES },
};
export const replayWebhooksSchema = (messageTypes: readonly string[]) => ({
  summary: "Send all webhooks again that match a filter",
  description:
    "Like `retry`, for each webhook created before this request. The work continues after the response; each webhook has `replayed_at` once it is queued.",
  tags,
  body: envelope("replay", replayFilter(messageTypes)),
  response: {
    200: envelope(
      "replay",
      namedObject("WebhookReplay", {
        count: Type.Integer({ description: "How many are sent again" }),
        skipped_count: Type.Integer({ description: "How many match but have a disabled or deleted endpoint" }),
        replayed_at: instant(),
      }),
    ),
    ...ERROR_RESPONSES,
  },
});

export type WebhookFilter = {
  endpointId: string | undefined;
  /** undefined: any type. */
  webhookTypes: readonly string[] | undefined;
  objectId: string | undefined;
  status: (typeof STATUSES)[number] | undefined;
  createdFrom: Temporal.Instant | null | undefined;
  createdTo: Temporal.Instant | null | undefined;
};

/** The filters of a list that need more than a column; `pageOfDeliveries` applies the status. */
export const fromListFilter = (
  { filters }: ListRequest<"webhook_endpoint_id" | "webhook_type" | "object_id" | "created_at_from" | "created_at_to">,
  messageTypes: readonly string[],
): WebhookFilter => ({
  endpointId: filters.webhook_endpoint_id?.[0],
  webhookTypes: filters.webhook_type ?? (filters.object_id && messageTypes),
  objectId: filters.object_id?.[0],
  status: undefined,
  createdFrom: parseInstant(filters.created_at_from?.[0] ?? ""),
  createdTo: parseInstant(filters.created_at_to?.[0] ?? ""),
});

export const fromApiFilter = (requested: ApiFilter, messageTypes: readonly string[]): WebhookFilter => ({
  endpointId: requested.webhook_endpoint_id,
  webhookTypes: typesOf(requested, messageTypes),
  objectId: requested.object_id,
  status: requested.status,
  createdFrom: parseInstant(requested.created_at_from ?? ""),
  createdTo: parseInstant(requested.created_at_to ?? ""),
});

function typesOf({ webhook_type, object_id }: ApiFilter, messageTypes: readonly string[]) {
  if (webhook_type !== undefined) return [webhook_type];
  // With only an object id, all types are listed: the index on objects begins with the type.
  return object_id === undefined ? undefined : messageTypes;
}

export const toApiWebhook = ({ delivery, message, attempts }: LoggedDelivery): Static<typeof webhookSchema> => ({
  svc_id: delivery.id,
  unique_key: message.id,
  svc_webhook_endpoint_id: delivery.endpoint_id,
  webhook_type: message.webhook_type,
  object_type: message.object_type,
  object_id: message.object_id,
  status: delivery.status,
  http_status: delivery.http_status,
  last_error: delivery.last_error,
  next_attempt_at: delivery.settled_at ? null : toApiInstant(delivery.ready_at),
  created_at: toApiInstant(delivery.created_at),
  settled_at: toApiInstantOrNull(delivery.settled_at),
  replayed_at: toApiInstantOrNull(delivery.replayed_at),
  attempts: attempts.map(toApiAttempt),
});

const toApiAttempt = (attempt: AttemptRow): Static<typeof attemptSchema> => ({
  number: attempt.number,
  url: attempt.url,
  request_headers: attempt.request_headers as Record<string, string>,
  started_at: toApiInstant(attempt.started_at),
  duration_ms: attempt.duration_ms,
  http_status: attempt.http_status,
  response_body: attempt.response_body,
  error: attempt.error,
});
