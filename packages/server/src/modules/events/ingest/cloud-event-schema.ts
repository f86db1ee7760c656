/** CloudEvents 1.0 in JSON: https://github.com/cloudevents/spec */
import { type Static, Type } from "@fastify/type-provider-typebox";
import { mandatoryText, nullable, oneOf } from "../../../http/fields.ts";
import { namedObject } from "../../../http/named-object.ts";

export const CLOUD_EVENT = "application/cloudevents+json";
export const CLOUD_EVENTS = "application/cloudevents-batch+json";

/** Attributes that are not listed are allowed, and not stored. */
const cloudEvent = namedObject(
  "CloudEvent",
  {
    specversion: oneOf(["1.0"]),
    id: mandatoryText(
      255,
      "With `source`, identifies the event: `source#id` is its `transaction_id`. A repeat counts once",
    ),
    source: mandatoryText(255, "Who sent the event. With `id`, it has at most 254 characters"),
    type: mandatoryText(255, "Code of the billable metric"),
    subject: mandatoryText(255, "The `external_subscription_id`"),
    time: Type.Optional(
      nullable(
        Type.String({
          description: "RFC 3339 with an offset; to the microsecond. The default is the time of receipt.",
        }),
      ),
    ),
    data: Type.Optional(
      Type.Unsafe<Record<string, unknown> | null>({
        type: ["object", "null"],
        description: "The properties of the event. Numbers keep every digit.",
        examples: [{ tokens: 1250, model: "large" }],
      }),
    ),
    data_base64: Type.Optional(
      Type.Unsafe<null>({ type: "null", description: "Binary data cannot be counted. Send `data`." }),
    ),
  },
  { description: "A CloudEvent in JSON (structured mode). Other attributes are allowed, and not stored." },
);
const example = {
  ...{ specversion: "1.0", source: "gateway", id: "r1", type: "tokens", subject: "sub_1" },
  ...{ time: "2026-01-31T09:00:00Z", data: { tokens: 1250, model: "large" } },
};
export type ApiCloudEvent = Static<typeof cloudEvent>;

export const CLOUD_EVENT_CONTENT = {
  [CLOUD_EVENT]: { schema: { ...cloudEvent, examples: [example] } },
  [CLOUD_EVENTS]: {
    schema: Type.Array(cloudEvent, {
      description: "Stored as a whole or not at all",
      examples: [[example, { ...example, id: "r2" }]],
    }),
  },
};
