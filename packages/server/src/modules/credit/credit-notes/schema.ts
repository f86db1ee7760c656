/** Credit notes: what the API takes. What it gives is in `to-api.ts`; core says which amounts are valid. */
import { Type } from "@fastify/type-provider-typebox";
import { envelope, mandatoryText, nullable, oneOf, text } from "../../../http/fields.ts";
import { ERROR_RESPONSES } from "../../../http/openapi.ts";
import { listEnvelope, pageQuery } from "../../../http/pagination.ts";
import { creditNoteSchema, estimateSchema, REASONS, REFUND_STATUSES } from "./to-api.ts";

const tags = ["Credit notes"];
const params = Type.Object({ svc_id: Type.String() });
const response = { 200: envelope("credit_note", creditNoteSchema), ...ERROR_RESPONSES };

const AMOUNT_MAX = Number.MAX_SAFE_INTEGER;
const cents = (description: string) => Type.Integer({ minimum: -AMOUNT_MAX, maximum: AMOUNT_MAX, description });

const items = Type.Array(
  Type.Object({ fee_id: mandatoryText(), amount_cents: cents("Of the fee, without taxes and before coupons") }),
  { description: "Which fees are credited, and how much of each", "x-type-code": "must_be_an_array" },
);

export const createNoteSchema = {
  summary: "Create a credit note",
  description:
    "Credit and refund together are the items, less their share of coupons, plus taxes; a cent more or less is borne by the credit.",
  tags,
  body: envelope(
    "credit_note",
    Type.Object({
      invoice_id: mandatoryText(),
      reason: Type.Optional(nullable(oneOf(REASONS, { description: "`other` unless given" }))),
      description: Type.Optional(nullable(text(10_000))),
      credit_amount_cents: Type.Optional(nullable(cents("For later invoices; 0 unless given"))),
      refund_amount_cents: Type.Optional(nullable(cents("In money, of a paid invoice; 0 unless given"))),
      items,
    }),
  ),
  response,
};

export const estimateNoteSchema = {
  summary: "Estimate a credit note",
  description: "What a note on these items would come to, and how much of it can be credited or refunded.",
  tags,
  body: envelope("credit_note", Type.Object({ invoice_id: mandatoryText(), items })),
  response: { 200: envelope("estimated_credit_note", estimateSchema), ...ERROR_RESPONSES },
};

export const listNotesSchema = {
  summary: "List credit notes",
  description: "Newest first.",
  tags,
  querystring: Type.Object({ ...pageQuery, external_customer_id: Type.Optional(Type.String()) }),
  response: { 200: listEnvelope("credit_notes", creditNoteSchema), ...ERROR_RESPONSES },
};

export const showNoteSchema = { summary: "Show a credit note", tags, params, response };

export const changeNoteSchema = {
  summary: "Say whether a refund was paid",
  description: "A note without a refund stays as it is.",
  tags,
  params,
  body: envelope("credit_note", Type.Object({ refund_status: Type.Optional(oneOf(REFUND_STATUSES)) })),
  response,
};

export const voidNoteSchema = {
  summary: "Void a credit note",
  description: "What is left of its credit can no longer be used. What was used stays used.",
  tags,
  params,
  response,
};
