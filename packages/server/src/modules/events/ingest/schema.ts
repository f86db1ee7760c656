/** Usage events: the API's requests and responses. */
import { type Static, Type } from "@fastify/type-provider-typebox";
import { NOT_BILLED_REASONS } from "@tallystick/core/invoicing";
import { JSON_TYPE } from "../../../http/body-schema.ts";
import { envelope, formatted, id, instant, mandatoryText, nullable, oneOf, text } from "../../../http/fields.ts";
import { declareList } from "../../../http/list-query.ts";
import { namedObject } from "../../../http/named-object.ts";
import { ERROR_MEMBERS, ERROR_RESPONSES } from "../../../http/openapi.ts";
import { listMetaSchema } from "../../../http/pagination.ts";
import { CLOUD_EVENT_CONTENT } from "./cloud-event-schema.ts";

export const BATCH_EVENTS_MAX = 100;
export const TRANSACTION_ID_LENGTH_MAX = 255;

/** Accepts any value: the value is read from the text of the body, which is exact. */
const timestamp = Type.Unsafe<unknown>({
  "x-described": {
    type: ["number", "string", "null"],
    description:
      "Unix time in seconds, as a number or a string, or ISO 8601 with an offset; to the microsecond. The default is the time of receipt.",
    examples: [1_769_850_000, "1769850000.123456", "2026-01-31T10:00:00.123456+01:00"],
  },
});

const properties = Type.Unsafe<Record<string, unknown> | null>({
  type: ["object", "null"],
  description: "Custom fields, including the one that the metric's `field_name` names. Numbers keep every digit.",
  examples: [{ gigabytes: "12.5", region: "eu" }],
});

const eventCreate = namedObject("EventCreate", {
  transaction_id: mandatoryText(
    TRANSACTION_ID_LENGTH_MAX,
    "Identifies the event within its subscription, forever. A repeat counts once",
  ),
  external_subscription_id: mandatoryText(),
  code: mandatoryText(255, "Code of the billable metric"),
  timestamp: Type.Optional(timestamp),
  properties: Type.Optional(properties),
});
export type ApiEventCreate = Static<typeof eventCreate>;

const EVENT_MEMBERS = {
  svc_id: id(),
  transaction_id: Type.String(),
  svc_customer_id: nullable(Type.String()),
  code: Type.String(),
  timestamp: Type.String({ description: "ISO 8601, UTC, with milliseconds", examples: ["2026-01-31T09:00:00.000Z"] }),
  properties: Type.Record(Type.String(), Type.Unknown()),
  svc_subscription_id: nullable(Type.String()),
  external_subscription_id: Type.String(),
  created_at: instant(),
};

const receivedSchema = namedObject("ReceivedEvent", {
  ...EVENT_MEMBERS,
  outcome: oneOf(["created", "duplicate"], {
    description: "`duplicate`: this event was stored before, or earlier in the batch, and counts once.",
  }),
});

const STATUSES = ["billed", "open", "not_billed"] as const;

const eventSchema = namedObject("Event", {
  ...EVENT_MEMBERS,
  status: oneOf(STATUSES, {
    description: "The billing status. `open`: the event may still be billed.",
  }),
  reason: nullable(
    oneOf(NOT_BILLED_REASONS, {
      description:
        "Why it is not billed. `late`: it was received after its period was invoiced. `before_start`, `after_end`, `no_subscription`: no " +
        "subscription was active then. `before_billing_began`: dated or received before its charge or subscription was billed. " +
        "`no_charge`, `charge_removed`: the plan has no charge on its metric, or no longer has one. `unknown_code`: no metric has its code. " +
        "`invalid_property`: it lacks the property that the metric counts. `invoice_voided`: the invoice that billed it was voided or deleted. " +
        "`skipped_at_end`: its subscription ended without a last invoice.",
    }),
  ),
  svc_fee_ids: Type.Array(Type.String(), {
    description: "For a billed event: the fees that include it. Empty if their amount is zero.",
  }),
});

const tags = ["Events"];
const response = { 200: envelope("event", receivedSchema), ...ERROR_RESPONSES };

export const createEvent = {
  summary: "Send a usage event",
  description:
    "The event is stored and deduplicated before the response. A repeat returns the stored event; a different body " +
    "with the same `transaction_id` and subscription is refused. The code and the subscription need not exist yet. CloudEvents are " +
    "taken too, one or a list of up to 1,000, and answered with 204.",
  tags,
  body: { content: { [JSON_TYPE]: { schema: envelope("event", eventCreate) }, ...CLOUD_EVENT_CONTENT } },
  response: { ...response, 204: Type.Null({ description: "The CloudEvents are stored, or were before." }) },
};

const ITEM_ERRORS = Type.Object(
  {
    ...ERROR_MEMBERS,
    error_details: Type.Record(Type.String(), Type.Unknown(), {
      description:
        "The error codes of each field of each faulty event, by index. Errors of the list itself are under `events`.",
    }),
  },
  {
    description: "An event is invalid, or conflicts with a stored one. No event of the batch is stored.",
    examples: [
      {
        status: 422,
        error: "Unprocessable Entity",
        code: "validation_errors",
        message: "The member code of the second event is mandatory.",
        error_details: { 1: { code: ["value_is_mandatory"] } },
        errors: [{ path: "events[1].code", code: "value_is_mandatory", message: "Send a value." }],
        request_id: "019a8a0e-6f7c-7c3e-9a3d-2f6a4b1c5d60",
      },
    ],
  },
);

export const createEvents = {
  summary: "Send 1 to 100 usage events",
  description:
    "All or nothing: if one event is invalid or conflicts with a stored one, none is stored. Identical repeats are allowed.",
  tags,
  body: Type.Object({ events: Type.Array(eventCreate) }, { description: "A list of events" }),
  response: {
    ...ERROR_RESPONSES,
    200: Type.Object(
      { events: Type.Array(receivedSchema) },
      { description: "The events as stored, in the order of the request" },
    ),
    422: ITEM_ERRORS,
  },
};

export const showEvent = {
  summary: "Show a usage event",
  description:
    "If several subscriptions have an event with this `transaction_id`, shows the one that was received last.",
  tags,
  params: Type.Object({ transaction_id: Type.String() }),
  response: { 200: envelope("event", eventSchema), ...ERROR_RESPONSES },
};

const UNCOUNTED = "Null if there are more than 10,000 events, and on a page by cursor";
const listMeta = namedObject("EventsMeta", {
  ...listMetaSchema.properties,
  total_pages: nullable(Type.Integer({ description: UNCOUNTED })),
  total_count: nullable(Type.Integer({ description: UNCOUNTED })),
});

export const eventList = declareList({
  sorts: ["-timestamp"],
  choices: { status: STATUSES, reason: NOT_BILLED_REASONS },
  texts: {
    code: text(),
    external_subscription_id: text(),
    timestamp_from: formatted("datetime", { description: "ISO 8601, inclusive" }),
    timestamp_to: formatted("datetime", { description: "ISO 8601, inclusive" }),
  },
});

export const listEvents = {
  summary: "List usage events",
  description:
    "Latest timestamp first. With `status` or `reason`, a request looks through up to 10,000 events: a page can hold fewer than requested, " +
    "and `next_cursor` goes on from there.",
  tags,
  querystring: eventList.querystring,
  response: {
    200: Type.Object({ events: Type.Array(eventSchema), meta: listMeta }, { description: "A page of the events" }),
    ...ERROR_RESPONSES,
  },
};
