/** Request schemas of credit notes. Response schemas are in `to-api.ts`; core validates the amounts. */
import { Type } from "@fastify/type-provider-typebox";
import { envelope, mandatoryText, nullable, oneOf, text } from "../../../http/fields.ts";
import { declareList } from "../../../http/list-query.ts";
import { namedObject } from "../../../http/named-object.ts";
import { ERROR_RESPONSES } from "../../../http/openapi.ts";
import { listEnvelope } from "../../../http/pagination.ts";
import { CREDIT_STATUSES, creditNoteSchema, estimateSchema, REASONS, REFUND_STATUSES } from "./to-api.ts";

const tags = ["Credit notes"];
const params = Type.Object({ svc_id: Type.String() });
const response = { 200: envelope("credit_note", creditNoteSchema), ...ERROR_RESPONSES };

const AMOUNT_MAX = Number.MAX_SAFE_INTEGER;
const cents = (description: string) => Type.Integer({ minimum: -AMOUNT_MAX, maximum: AMOUNT_MAX, description });

const items = Type.Array(
  Type.Object({ fee_id: mandatoryText(), amount_cents: cents("Part of the fee, before coupons and taxes") }),
  { description: "Which fees are credited, and how much of each", "x-type-code": "must_be_an_array" },
);

export const createNoteSchema = {
  summary: "Create a credit note",
  description:
    "Credit and refund together equal the items, less their share of coupons, plus taxes. The credit absorbs a rounding difference of one cent.",
  tags,
  body: envelope(
    "credit_note",
    namedObject("CreditNoteCreate", {
      invoice_id: mandatoryText(),
      reason: Type.Optional(nullable(oneOf(REASONS, { description: "Default: `other`" }))),
      description: Type.Optional(nullable(text(10_000))),
      credit_amount_cents: Type.Optional(nullable(cents("For later invoices; default: 0"))),
      refund_amount_cents: Type.Optional(nullable(cents("Refund in money for a paid invoice; default: 0"))),
      items,
    }),
  ),
  response,
};

export const estimateNoteSchema = {
  summary: "Estimate a credit note",
  description: "The total of a note on these items, and how much of it can be credited or refunded.",
  tags,
  body: envelope("credit_note", Type.Object({ invoice_id: mandatoryText(), items })),
  response: { 200: envelope("estimated_credit_note", estimateSchema), ...ERROR_RESPONSES },
};

export const noteList = declareList({
  sorts: ["-created_at", "issuing_date"],
  choices: { credit_status: CREDIT_STATUSES, refund_status: REFUND_STATUSES, reason: REASONS },
  texts: { external_customer_id: Type.String(), invoice_id: Type.String(), currency: Type.String() },
  search: "number of the note, or of the name, id or email of its customer",
});
export const listNotesSchema = {
  summary: "List credit notes",
  description: "Newest first.",
  tags,
  querystring: noteList.querystring,
  response: { 200: listEnvelope("credit_notes", creditNoteSchema), ...ERROR_RESPONSES },
};

export const showNoteSchema = {
  summary: "Show a credit note",
  description: "With its items and taxes.",
  tags,
  params,
  response,
};

export const changeNoteSchema = {
  summary: "Set the status of a refund",
  description: "A note without a refund does not change.",
  tags,
  params,
  body: envelope("credit_note", Type.Object({ refund_status: Type.Optional(nullable(oneOf(REFUND_STATUSES))) })),
  response,
};

export const voidNoteSchema = {
  summary: "Void a credit note",
  description: "The rest of its credit can no longer be used. Used credit stays used.",
  tags,
  params,
  response,
};
