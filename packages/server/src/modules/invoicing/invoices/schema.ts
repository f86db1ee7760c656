/** Request schemas of invoices. Response schemas are in `to-api.ts`. */
import { Type } from "@fastify/type-provider-typebox";
import { currencyCode, envelope, formatted, mandatoryText, nullable, oneOf, text } from "../../../http/fields.ts";
import { declareFilters, declareList } from "../../../http/list-query.ts";
import { namedObject } from "../../../http/named-object.ts";
import { ERROR_RESPONSES } from "../../../http/openapi.ts";
import { listEnvelope, pageQuery, pagesEnvelope } from "../../../http/pagination.ts";
import { customerUsageSchema } from "../../usage/index.ts";
import { previewSchema } from "./preview-to-api.ts";
import { invoiceSummarySchema } from "./summarize-invoices.ts";
import { extendedInvoiceSchema, INVOICE_STATUSES, INVOICE_TYPES, invoiceSchema, PAYMENT_STATUSES } from "./to-api.ts";

const tags = ["Invoices"];
const params = Type.Object({ svc_id: Type.String() });
const response = { 200: envelope("invoice", extendedInvoiceSchema), ...ERROR_RESPONSES };

const day = () => formatted("date", { examples: ["2026-02-01"] });
const flag = (description: string) => oneOf(["true", "false", "1", "0"], { description });

/** Filters that say nothing about the state of an invoice. */
const stateless = {
  external_customer_id: Type.String(),
  issuing_date_from: day(),
  issuing_date_to: day(),
  currency: Type.String(),
};
const search = "invoice number, or of the name, id or email of its customer";

export const invoiceList = declareList({
  sorts: ["-issuing_date", "created_at"],
  choices: { status: INVOICE_STATUSES, payment_status: PAYMENT_STATUSES, invoice_type: INVOICE_TYPES },
  texts: {
    ...stateless,
    payment_overdue: flag("`true` for overdue invoices, `false` for the others"),
    payment_dispute_lost: flag("`true` for invoices with a lost dispute, `false` for the others"),
  },
  search,
});

export const invoiceFilters = declareFilters({ choices: { invoice_type: INVOICE_TYPES }, texts: stateless, search });

export const listInvoices = {
  summary: "List invoices",
  description: "Last issued first. Lists omit fees, subscriptions and credits; show a single invoice to get them.",
  tags,
  querystring: invoiceList.querystring,
  response: { 200: listEnvelope("invoices", invoiceSchema), ...ERROR_RESPONSES },
};
export const summarizeInvoicesSchema = {
  summary: "Count and sum invoices",
  description:
    "For each view of the list its number of invoices, and their amounts by currency, under the filters of the list that are not about " +
    "states. `draft`, `to_pay`, `overdue`, `paid` and `voided` have no invoice in common.",
  tags,
  querystring: invoiceFilters.querystring,
  response: { 200: envelope("invoice_summary", invoiceSummarySchema), ...ERROR_RESPONSES },
};
export const showInvoice = {
  summary: "Show an invoice",
  description: "With its fees, subscriptions and credits.",
  tags,
  params,
  response,
};

const metadata = Type.Array(
  Type.Object({
    id: Type.Optional(nullable(Type.String({ description: "The `svc_id` of the pair to change" }))),
    svc_id: Type.Optional(nullable(Type.String())),
    key: mandatoryText(20),
    value: mandatoryText(255),
  }),
  { maxItems: 5, "x-code": "invalid_count", description: "The full list: omitted pairs are deleted" },
);

export const changeInvoiceSchema = {
  summary: "Set the payment status or metadata of an invoice",
  description: "Only the members present in the body change.",
  tags,
  params,
  body: envelope(
    "invoice",
    namedObject("InvoiceUpdate", {
      payment_status: Type.Optional(oneOf(PAYMENT_STATUSES)),
      metadata: Type.Optional(metadata),
    }),
  ),
  response,
};
export const refreshInvoiceSchema = {
  summary: "Recompute a draft",
  description:
    "Uses current usage, prices and taxes for the same periods. An invoice that is not a draft does not change.",
  tags,
  params,
  response,
};
export const finalizeInvoiceSchema = {
  summary: "Finalize a draft",
  description: "The invoice is recomputed, numbered, and issued today.",
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
  summary: "Mark the dispute of an invoice as lost",
  description: "Not for a draft. A lost dispute stays lost.",
  tags,
  params,
  response,
};
export const retryInvoiceSchema = {
  summary: "Retry a failed invoice",
  description: "A failed invoice is retried automatically until it succeeds, so no invoice is ever in that state.",
  tags,
  params,
  response,
};

const oneOffFeeSchema = namedObject("OneOffFee", {
  add_on_code: mandatoryText(),
  units: Type.Optional(
    Type.Unsafe<string | number | null>({
      type: ["string", "number", "null"],
      description: "A decimal; default: 1",
      examples: ["2.5"],
    }),
  ),
  unit_amount_cents: Type.Optional(
    nullable(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: "The price of one unit; default: the amount of the add-on",
      }),
    ),
  ),
  description: Type.Optional(nullable(text(10_000))),
  tax_codes: Type.Optional(
    nullable(Type.Array(Type.String(), { maxItems: 100, description: "Replaces the taxes of the add-on" })),
  ),
});

export const createInvoiceSchema = {
  summary: "Bill add-ons at once",
  description: "Creates a one-off invoice that is finalized now, without coupons, credit notes and prepaid credits.",
  tags,
  body: envelope(
    "invoice",
    namedObject("InvoiceCreate", {
      external_customer_id: mandatoryText(),
      currency: Type.Optional(nullable(currencyCode())),
      purchase_order_number: Type.Optional(nullable(text(255))),
      fees: Type.Optional(nullable(Type.Array(oneOffFeeSchema, { maxItems: 500 }))),
    }),
  ),
  response,
};

export const previewInvoiceSchema = {
  summary: "Show the next invoice of a subscription",
  description:
    "The next invoice of the subscription, with all subscriptions of the customer that are billed together, from current data. Nothing " +
    "is stored or spent, so ids, number and timestamps are null. What another subscription that ends at the same instant gives back is not in it.",
  tags,
  body: envelope("invoice", Type.Object({ external_subscription_id: mandatoryText(255, "Of an active subscription") })),
  response: { 200: envelope("invoice", previewSchema), ...ERROR_RESPONSES },
};

export const showPastUsage = {
  summary: "Show the usage of a customer in closed periods",
  description: "As it was billed, newest period first.",
  tags: ["Usage"],
  params: Type.Object({ external_id: Type.String() }),
  querystring: Type.Object({
    ...pageQuery,
    external_subscription_id: mandatoryText(),
    billable_metric_code: Type.Optional(Type.String()),
    periods_count: Type.Optional(
      Type.Unsafe<unknown>({ "x-type": "integer", description: "How many of the newest periods to show" }),
    ),
  }),
  response: { 200: pagesEnvelope("usage_periods", customerUsageSchema), ...ERROR_RESPONSES },
};
