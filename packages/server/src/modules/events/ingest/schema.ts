/** Usage events: what the API takes and gives. */
import { type Static, Type } from "@fastify/type-provider-typebox";
import { NOT_BILLED_REASONS } from "@tallystick/core/invoicing";
import { envelope, formatted, id, instant, mandatoryText, nullable, oneOf, text } from "../../../http/fields.ts";
import { ERROR_RESPONSES } from "../../../http/openapi.ts";
import { metaSchema, pageQuery } from "../../../http/pagination.ts";

export const BATCH_EVENTS_MAX = 100;

/** Any value passes here: it is read from the text of the body, which is exact. */
const timestamp = Type.Unsafe<unknown>({
  "x-described": {
    type: ["number", "string", "null"],
    description:
      "Unix time in seconds, to the microsecond; a number, or one as text. The time of receipt unless given.",
    examples: [1_769_850_000, "1769850000.123456"],
  },
});

const properties = Type.Unsafe<Record<string, unknown> | null>({
  type: ["object", "null"],
  description: "Custom fields, the one named by the metric's `field_name` among them. Numbers keep every digit.",
  examples: [{ gigabytes: "12.5", region: "eu" }],
});

const eventCreate = Type.Object({
  transaction_id: mandatoryText(
    255,
    "Together with the subscription it names the event, forever: a repeat counts once",
  ),
  external_subscription_id: mandatoryText(),
  code: mandatoryText(255, "Of the billable metric"),
  timestamp: Type.Optional(timestamp),
  properties: Type.Optional(properties),
});
export type ApiEventCreate = Static<typeof eventCreate>;

const eventSchema = Type.Object({
  svc_id: id(),
  transaction_id: Type.String(),
  svc_customer_id: nullable(Type.String()),
  code: Type.String(),
  timestamp: Type.String({ description: "ISO 8601, UTC, with milliseconds", examples: ["2026-01-31T09:00:00.000Z"] }),
  properties: Type.Record(Type.String(), Type.Unknown()),
  svc_subscription_id: nullable(Type.String()),
  external_subscription_id: Type.String(),
  created_at: instant(),
});

const shownSchema = Type.Object({
  ...eventSchema.properties,
  status: oneOf(["billed", "open", "not_billed"], {
    description: "What became of it, as things stand. `open`: it may yet be billed.",
  }),
  reason: nullable(
    oneOf(NOT_BILLED_REASONS, {
      description:
        "Why it is not billed. `late`: its period was invoiced before it came. `before_start`, `after_end`, `no_subscription`: nobody " +
        "had its subscription then. `before_billing_began`: of a time, or received at one, before its charge or subscription was billed. " +
        "`no_charge`, `charge_removed`: the plan has, or no longer has, no charge on its metric. `unknown_code`: no metric has its code. " +
        "`invalid_property`: it lacks what the metric counts. `invoice_voided`: what billed it was voided or deleted.",
    }),
  ),
  svc_fee_ids: Type.Array(Type.String(), {
    description: "Of a billed event: the fees that it is part of. None where they came to nothing.",
  }),
});

const tags = ["Events"];
const response = { 200: envelope("event", eventSchema), ...ERROR_RESPONSES };

export const createEvent = {
  summary: "Send a usage event",
  description:
    "Stored, and known to be no repeat, before the answer. The same event again is answered with what is stored; another body " +
    "under its `transaction_id` and subscription is refused. The code and the subscription need not exist yet.",
  tags,
  body: envelope("event", eventCreate),
  response,
};

const ITEM_ERRORS = Type.Object(
  {
    status: Type.Integer(),
    error: Type.String(),
    code: Type.String(),
    error_details: Type.Record(Type.String(), Type.Unknown(), {
      description:
        "The codes of each field of each event that is wrong, by its index; of the list itself under `events`.",
    }),
  },
  { description: "An event is wrong, or conflicts with a stored one: nothing of the batch is stored." },
);

export const createEvents = {
  summary: "Send 1 to 100 usage events",
  description:
    "All or nothing: where one is wrong or conflicts with a stored one, none is stored. Identical repeats are fine.",
  tags,
  body: Type.Object({ events: Type.Array(eventCreate) }, { description: "The events, in a list" }),
  response: {
    ...ERROR_RESPONSES,
    200: Type.Object({ events: Type.Array(eventSchema) }, { description: "The events as stored, in the order given" }),
    422: ITEM_ERRORS,
  },
};

export const showEvent = {
  summary: "Show a usage event",
  description: "Of several with this `transaction_id`, in different subscriptions, the one that was received last.",
  tags,
  params: Type.Object({ transaction_id: Type.String() }),
  response: { 200: envelope("event", shownSchema), ...ERROR_RESPONSES },
};

const listMeta = Type.Object({
  ...metaSchema.properties,
  total_pages: nullable(Type.Integer({ description: "Null where there are more than 10,000 events" })),
  total_count: nullable(Type.Integer({ description: "Null where there are more than 10,000 events" })),
});

export const listEvents = {
  summary: "List usage events",
  description: "Latest timestamp first.",
  tags,
  querystring: Type.Object({
    ...pageQuery,
    code: Type.Optional(text()),
    external_subscription_id: Type.Optional(text()),
    timestamp_from: Type.Optional(formatted("datetime", { description: "ISO 8601, included" })),
    timestamp_to: Type.Optional(formatted("datetime", { description: "ISO 8601, included" })),
  }),
  response: {
    200: Type.Object({ events: Type.Array(shownSchema), meta: listMeta }, { description: "A page of the events" }),
    ...ERROR_RESPONSES,
  },
};
