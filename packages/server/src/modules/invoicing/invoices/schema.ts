/** Invoices: what the API takes. What it gives is in `to-api.ts`. */
import { Type } from "@fastify/type-provider-typebox";
import { currencyCode, envelope, formatted, mandatoryText, nullable, oneOf, text } from "../../../http/fields.ts";
import { ERROR_RESPONSES } from "../../../http/openapi.ts";
import { listEnvelope, pageQuery } from "../../../http/pagination.ts";
import { customerUsageSchema } from "../../usage/index.ts";
import { previewSchema } from "./preview-to-api.ts";
import { extendedInvoiceSchema, INVOICE_STATUSES, INVOICE_TYPES, invoiceSchema, PAYMENT_STATUSES } from "./to-api.ts";

const tags = ["Invoices"];
const params = Type.Object({ svc_id: Type.String() });
const response = { 200: envelope("invoice", extendedInvoiceSchema), ...ERROR_RESPONSES };

const day = () => Type.Optional(formatted("date", { examples: ["2026-02-01"] }));
const flag = (description: string) => Type.Optional(Type.Unsafe<unknown>({ "x-type": "boolean", description }));

export const listInvoices = {
  summary: "List invoices",
  description: "Last issued first. What an invoice is made of is shown when it is shown alone.",
  tags,
  querystring: Type.Object({
    ...pageQuery,
    external_customer_id: Type.Optional(Type.String()),
    issuing_date_from: day(),
    issuing_date_to: day(),
    status: Type.Optional(oneOf(INVOICE_STATUSES)),
    payment_status: Type.Optional(oneOf(PAYMENT_STATUSES)),
    payment_overdue: flag("`true` for those that should have been paid, `false` for the others"),
    payment_dispute_lost: flag("`true` for those whose dispute was lost, `false` for the others"),
    invoice_type: Type.Optional(oneOf(INVOICE_TYPES)),
    currency: Type.Optional(Type.String()),
    search_term: Type.Optional(Type.String({ description: "Part of its number or of what its customer is called" })),
  }),
  response: { 200: listEnvelope("invoices", invoiceSchema), ...ERROR_RESPONSES },
};
export const showInvoice = { summary: "Show an invoice", tags, params, response };

const metadata = Type.Array(
  Type.Object({
    id: Type.Optional(nullable(Type.String({ description: "Of the pair to change, as `svc_id`" }))),
    svc_id: Type.Optional(nullable(Type.String())),
    key: mandatoryText(20),
    value: mandatoryText(255),
  }),
  { maxItems: 5, "x-code": "invalid_count", description: "The full list: pairs that are not in it go" },
);

export const changeInvoiceSchema = {
  summary: "Say whether an invoice was paid, or set its metadata",
  description: "Only the members present in the body change.",
  tags,
  params,
  body: envelope(
    "invoice",
    Type.Object({
      payment_status: Type.Optional(oneOf(PAYMENT_STATUSES)),
      metadata: Type.Optional(metadata),
    }),
  ),
  response,
};
export const refreshInvoiceSchema = {
  summary: "Compute a draft again",
  description: "With the usage, prices and taxes known now, for the same periods. What is no draft stays as it is.",
  tags,
  params,
  response,
};
export const finalizeInvoiceSchema = {
  summary: "Finalize a draft",
  description: "It is computed once more, numbered, and issued today.",
  tags,
  params,
  response,
};
export const voidInvoiceSchema = {
  summary: "Void an invoice",
  description: "Its number stays used, and its period is not billed again.",
  tags,
  params,
  response,
};
export const loseDisputeSchema = {
  summary: "Say that the dispute of an invoice was lost",
  tags,
  params,
  response,
};
export const retryInvoiceSchema = {
  summary: "Make a failed invoice again",
  description: "InvoiceWorkDeps an invoice is repeated by itself until it succeeds, so none is ever in that state.",
  tags,
  params,
  response,
};

const oneOffFeeSchema = Type.Object({
  add_on_code: mandatoryText(),
  units: Type.Optional(
    Type.Unsafe<string | number | null>({
      type: ["string", "number", "null"],
      description: "A decimal, 1 unless given",
      examples: ["2.5"],
    }),
  ),
  unit_amount_cents: Type.Optional(
    nullable(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: "What one unit costs; the amount of the add-on unless given",
      }),
    ),
  ),
  description: Type.Optional(nullable(text(10_000))),
  tax_codes: Type.Optional(
    nullable(Type.Array(Type.String(), { maxItems: 100, description: "Instead of those of the add-on" })),
  ),
});

export const createInvoiceSchema = {
  summary: "Bill add-ons at once",
  description: "A one-off invoice: finalized now, without coupons, credit notes and prepaid credits.",
  tags,
  body: envelope(
    "invoice",
    Type.Object({
      external_customer_id: mandatoryText(),
      currency: Type.Optional(nullable(currencyCode())),
      fees: Type.Optional(nullable(Type.Array(oneOffFeeSchema, { maxItems: 500 }))),
    }),
  ),
  response,
};

export const previewInvoiceSchema = {
  summary: "Show the next invoice of a subscription",
  description:
    "The next invoice that bills it, with all subscriptions of the customer that are billed together, from what is known now. Nothing " +
    "is stored or spent, so ids, number and instants of its making are null.",
  tags,
  body: envelope("invoice", Type.Object({ external_subscription_id: mandatoryText(255, "Of an active subscription") })),
  response: { 200: envelope("invoice", previewSchema), ...ERROR_RESPONSES },
};

export const showPastUsage = {
  summary: "Show what a customer used in closed periods",
  description: "As it was billed, newest period first.",
  tags: ["Usage"],
  params: Type.Object({ external_id: Type.String() }),
  querystring: Type.Object({
    ...pageQuery,
    external_subscription_id: mandatoryText(),
    billable_metric_code: Type.Optional(Type.String()),
    periods_count: Type.Optional(
      Type.Unsafe<unknown>({ "x-type": "integer", description: "Only so many of the newest periods" }),
    ),
  }),
  response: { 200: listEnvelope("usage_periods", customerUsageSchema), ...ERROR_RESPONSES },
};
