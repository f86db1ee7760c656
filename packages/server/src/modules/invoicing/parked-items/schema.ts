/** Request and response schemas of parked items. */
import { type Static, Type } from "@fastify/type-provider-typebox";
import type { Selectable } from "kysely";
import { envelope, id, instant, mandatoryText, nullable, oneOf, toApiInstant } from "../../../http/fields.ts";
import { declareList } from "../../../http/list-query.ts";
import { namedObject } from "../../../http/named-object.ts";
import { ERROR_RESPONSES } from "../../../http/openapi.ts";
import { listEnvelope } from "../../../http/pagination.ts";
import { invalid } from "../../../http/problem.ts";
import type { DB } from "../../../platform/postgres/schema.ts";

export type ParkedItemRow = Selectable<DB["parked_items"]>;

const KINDS = ["event", "invoice", "wallet", "fee_refund"] as const;
export type ParkedKind = (typeof KINDS)[number];

const STATUSES = ["parked", "retried", "skipped"] as const;

export const parkedItemSchema = namedObject("ParkedItem", {
  svc_id: id(),
  kind: oneOf(KINDS, {
    description:
      "`event`: it creates no fee. `invoice`: it is not created or finalized. `wallet`: a top-up, an expiry or an ongoing balance. `fee_refund`: the refund of a paid fee, to be settled manually.",
  }),
  object: Type.Object({
    type: Type.String({ examples: ["invoice"] }),
    svc_id: id("Id of the object"),
    external_id: nullable(
      Type.String({ description: "`external_id` of the object; `transaction_id` of an event; null if it has none" }),
    ),
  }),
  reason: Type.String({ description: "Why the item cannot be billed. After a failed retry: why the retry failed" }),
  attempts: Type.Integer({ description: "The number of attempts" }),
  parked_at: instant(),
  status: oneOf(STATUSES),
});
export type ApiParkedItem = Static<typeof parkedItemSchema>;

const tags = ["Parked items"];
const params = Type.Object({ svc_id: Type.String() });
/** Not required here, because it has no envelope: `readReason` names a missing field. */
const body = Type.Object({
  reason: Type.Optional(mandatoryText(1000, "Mandatory: the reason, stored for later review")),
});
const response = { 200: envelope("parked_item", parkedItemSchema), ...ERROR_RESPONSES };

export const parkedItemList = declareList({
  sorts: ["-parked_at"],
  choices: { status: STATUSES, kind: KINDS },
  isUndated: true,
});
export const listParkedItemsSchema = {
  summary: "List parked items",
  description:
    "An item that cannot be billed is parked, and everything else goes on. Newest first; by default only items that wait for an operator (see `status`).",
  tags,
  querystring: parkedItemList.querystring,
  response: { 200: listEnvelope("parked_items", parkedItemSchema), ...ERROR_RESPONSES },
};
export const showParkedItemSchema = {
  summary: "Show a parked item",
  description: "In any status.",
  tags,
  params,
  response,
};
export const retryParkedItemSchema = {
  summary: "Retry a parked item",
  description:
    "Retries at once. On success the status is `retried`: an event is priced as if it were accepted now, an invoice takes its number now. On failure the item stays `parked`, with one more attempt and the new reason.",
  tags,
  params,
  body,
  response,
};
export const skipParkedItemSchema = {
  summary: "Skip a parked item",
  description:
    "Permanent. An event becomes `not_billed` with the reason `skipped_by_operator`; an invoice is never created; the refund of a fee counts as settled manually.",
  tags,
  params,
  body,
  response,
};

export function readReason({ reason }: Static<typeof body>): string {
  if (reason === undefined) throw invalid({ reason: ["value_is_mandatory"] });
  return reason;
}

export const toApiParkedItem = (row: ParkedItemRow): ApiParkedItem => ({
  svc_id: row.id,
  kind: row.kind,
  object: { type: row.object_type, svc_id: row.object_id, external_id: row.external_id },
  reason: row.reason,
  attempts: row.attempts,
  parked_at: toApiInstant(row.parked_at),
  status: row.status,
});
