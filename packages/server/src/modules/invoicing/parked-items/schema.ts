/** Parked item: what the API takes and gives. */
import { type Static, Type } from "@fastify/type-provider-typebox";
import type { Selectable } from "kysely";
import { envelope, id, instant, mandatoryText, nullable, oneOf, toApiInstant } from "../../../http/fields.ts";
import { ERROR_RESPONSES } from "../../../http/openapi.ts";
import { listEnvelope, pageQuery } from "../../../http/pagination.ts";
import { invalid } from "../../../http/problem.ts";
import type { DB } from "../../../platform/postgres/schema.ts";

export type ParkedItemRow = Selectable<DB["parked_items"]>;

const KINDS = ["event", "invoice", "wallet", "fee_refund"] as const;
export type ParkedKind = (typeof KINDS)[number];

const STATUSES = ["parked", "retried", "skipped"] as const;
export type ParkedStatus = (typeof STATUSES)[number];

export const parkedItemSchema = Type.Object({
  svc_id: id(),
  kind: oneOf(KINDS, {
    description:
      "`event`: it makes no fee. `invoice`: it is not made or finalized. `wallet`: a top-up, an expiry or an ongoing balance. `fee_refund`: the refund of a paid fee, to be settled by hand.",
  }),
  object: Type.Object({
    type: Type.String({ examples: ["invoice"] }),
    svc_id: id("Of the object"),
    external_id: nullable(
      Type.String({ description: "`external_id` of the object; `transaction_id` of an event; null where it has none" }),
    ),
  }),
  reason: Type.String({ description: "Why it cannot be billed. After a retry that failed: why that one failed" }),
  attempts: Type.Integer({ description: "How often it was tried" }),
  parked_at: instant(),
  status: oneOf(STATUSES),
});
export type ApiParkedItem = Static<typeof parkedItemSchema>;

const tags = ["Parked items"];
const params = Type.Object({ svc_id: Type.String() });
/** Not required here: it is no envelope, so what is missing is a field, which `readReason` names. */
const body = Type.Object({
  reason: Type.Optional(mandatoryText(1000, "Mandatory: why. Kept for whoever looks later")),
});
const response = { 200: envelope("parked_item", parkedItemSchema), ...ERROR_RESPONSES };

export const listParkedItemsSchema = {
  summary: "List parked items",
  description:
    "What cannot be billed is set aside, one thing at a time, and everything else goes on. Newest first; those that wait for an operator, unless another `status` is asked for.",
  tags,
  querystring: Type.Object({ ...pageQuery, status: Type.Optional(oneOf(STATUSES)) }),
  response: { 200: listEnvelope("parked_items", parkedItemSchema), ...ERROR_RESPONSES },
};
export const showParkedItemSchema = { summary: "Show a parked item", tags, params, response };
export const retryParkedItemSchema = {
  summary: "Try a parked item again",
  description:
    "At once. If it works its status is `retried`: an event is priced as if it were accepted now, an invoice takes its number now. If it fails again it stays `parked`, with one more attempt and the new reason.",
  tags,
  params,
  body,
  response,
};
export const skipParkedItemSchema = {
  summary: "Never bill a parked item",
  description:
    "For ever. An event becomes `not_billed` with the reason `skipped_by_operator`; an invoice is not made; the refund of a fee counts as settled by hand.",
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
