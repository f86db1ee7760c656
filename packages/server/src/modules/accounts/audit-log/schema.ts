/** Activities in the API. */
import { type Static, Type } from "@fastify/type-provider-typebox";
import type { Selectable } from "kysely";
import { anyMembers, envelope, id, instant, nullable, oneOf, toApiInstant } from "../../../http/fields.ts";
import { declareList } from "../../../http/list-query.ts";
import { namedObject } from "../../../http/named-object.ts";
import { ERROR_RESPONSES } from "../../../http/openapi.ts";
import { listEnvelope } from "../../../http/pagination.ts";
import { parseExactJson } from "../../../platform/json-text.ts";
import type { DB } from "../../../platform/postgres/schema.ts";

export type ActivityRow = Selectable<DB["activities"]>;

const ACTORS = ["key", "person", "command", "service"] as const;

const activitySchema = namedObject("Activity", {
  svc_id: id(),
  created_at: instant(),
  actor: Type.Object({
    kind: oneOf(ACTORS, {
      description:
        "`key`: an API key. `person`: someone who signed in. `command`: an operator at the command line. `service`: work of the service itself",
    }),
    id: Type.String({ description: "The id of the key or person; the name of the command or work" }),
  }),
  address: nullable(Type.String({ description: "The network address of the request" })),
  operation: Type.String({ description: "The `operationId` of this API description", examples: ["updatePlan"] }),
  object: Type.Object({
    type: Type.String({ examples: ["plan"] }),
    svc_id: nullable(
      Type.String({ description: "Id of the object, or its name in the path; null if there are several" }),
    ),
  }),
  request_id: nullable(Type.String({ description: "As in the header `X-Request-Id` and in the log" })),
  difference: nullable(
    anyMembers<readonly unknown[]>(
      "For catalog objects, customers and settings: each changed member with its value before and after. Null if nothing changed, and after " +
        "an erasure. Whole numbers beyond 2^53 are text",
    ),
  ),
  is_erased: Type.Boolean({ description: "Whether the difference was erased. The rest of the activity stays" }),
});

const tags = ["Activities"];

export const activityList = declareList({
  sorts: ["-created_at"],
  choices: { actor_kind: ACTORS },
  texts: {
    actor_id: Type.String(),
    object_type: Type.String({ examples: ["plan"] }),
    object_id: Type.String({ description: "`svc_id` of the object" }),
    operation: Type.String({ examples: ["updatePlan"] }),
  },
});
export const listActivitiesSchema = {
  summary: "List activities",
  description:
    "Who changed what: every change through this API, the newest first. Received events are not activities, and neither are refused changes.",
  tags,
  querystring: activityList.querystring,
  response: { 200: listEnvelope("activities", activitySchema), ...ERROR_RESPONSES },
};
export const showActivitySchema = {
  summary: "Show an activity",
  description: "Who changed what, when and from where.",
  tags,
  params: Type.Object({ svc_id: Type.String() }),
  response: { 200: envelope("activity", activitySchema), ...ERROR_RESPONSES },
};

export const toApiActivity = (row: ActivityRow): Static<typeof activitySchema> => ({
  svc_id: row.id,
  created_at: toApiInstant(row.created_at),
  actor: { kind: row.actor_kind, id: row.actor_id },
  address: row.address,
  operation: row.operation,
  object: { type: row.object_type, svc_id: row.object_id },
  request_id: row.request_id,
  difference: row.difference === null ? null : (asNumbers(parseExactJson(row.difference)) as Record<string, unknown[]>),
  is_erased: row.erased_by !== null,
});

/** A member of any kind has no schema that could write a bigint. */
function asNumbers(value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (Array.isArray(value)) return value.map(asNumbers);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, asNumbers(member)]));
}
