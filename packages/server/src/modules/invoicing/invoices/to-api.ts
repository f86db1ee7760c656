/** Response schemas of invoices. */
import { type Static, Type } from "@fastify/type-provider-typebox";
import { amountDue, draftNumber } from "@tallystick/core/invoicing";
import { id, instant, nullable, oneOf, toApiInstant, toApiInstantOrNull, wholeNumber } from "../../../http/fields.ts";
import { namedObject } from "../../../http/named-object.ts";
import { type ApiCustomer, customerSchema } from "../../customers/index.ts";
import { subscriptionSchema } from "../../subscriptions/index.ts";
import { feeSchema } from "../fees/index.ts";
import { creditSchema } from "../invoice-credits/index.ts";
import { owedOf } from "./receivable.ts";
import type { InvoiceMetadataRow, InvoiceRow, InvoiceTaxRow } from "./store.ts";

export const INVOICE_TYPES = ["subscription", "one_off", "credit", "advance_charges"] as const;
export const INVOICE_STATUSES = ["draft", "finalized", "voided"] as const;
export const PAYMENT_STATUSES = ["pending", "succeeded", "failed"] as const;

/** The version of the computation rules. */
export const VERSION_NUMBER = 4;

const day = (description: string) => Type.String({ description, examples: ["2026-02-01"] });

export const invoiceSchema = namedObject("Invoice", {
  svc_id: id(),
  sequential_id: nullable(
    Type.Integer({ description: "Order of finalization for the customer, from 1; null for a draft" }),
  ),
  number: Type.String({ examples: ["ACM-1A2B-001-003"] }),
  issuing_date: day("Local date; for a draft the day of its automatic finalization"),
  payment_due_date: day("Local date"),
  net_payment_term: Type.Integer({ description: "Days from issue until the due date" }),
  invoice_type: oneOf(INVOICE_TYPES),
  status: oneOf(INVOICE_STATUSES),
  payment_status: oneOf(PAYMENT_STATUSES),
  payment_dispute_lost_at: nullable(instant()),
  payment_overdue: Type.Boolean(),
  currency: Type.String(),
  fees_amount_cents: wholeNumber("Without taxes"),
  coupons_amount_cents: wholeNumber(),
  progressive_billing_credit_amount_cents: wholeNumber("Always 0: an invoice is for a whole period"),
  sub_total_excluding_taxes_amount_cents: wholeNumber("Fees less coupons"),
  taxes_amount_cents: wholeNumber("The exact taxes of all fees, rounded once"),
  sub_total_including_taxes_amount_cents: wholeNumber(),
  credit_notes_amount_cents: wholeNumber(),
  prepaid_credit_amount_cents: wholeNumber(),
  total_amount_cents: wholeNumber("The amount to pay"),
  total_paid_amount_cents: wholeNumber("All payments in force"),
  total_written_off_amount_cents: wholeNumber("The part that was written off because it will not be paid"),
  total_due_amount_cents: wholeNumber(
    "Total less payments and write-offs; 0 for a draft or a voided invoice. Credit notes do not change it.",
  ),
  purchase_order_number: nullable(Type.String()),
  file_url: nullable(Type.String()),
  version_number: Type.Integer(),
  created_at: instant(),
  updated_at: instant(),
  voided_at: nullable(instant()),
  customer: customerSchema,
  metadata: Type.Array(
    namedObject("InvoiceMetadata", { svc_id: id(), key: Type.String(), value: Type.String(), created_at: instant() }),
  ),
  applied_taxes: Type.Array(
    namedObject("InvoiceAppliedTax", {
      svc_id: id(),
      svc_invoice_id: id(),
      svc_tax_id: id(),
      tax_name: Type.String(),
      tax_code: Type.String(),
      tax_rate: Type.Number(),
      tax_description: nullable(Type.String()),
      amount_cents: wholeNumber(),
      amount_currency: Type.String(),
      fees_amount_cents: wholeNumber("The taxable amount"),
      created_at: instant(),
    }),
  ),
});
export type ApiInvoice = Static<typeof invoiceSchema>;

/** Includes fees, subscriptions and credits. */
export const extendedInvoiceSchema = namedObject("InvoiceWithFees", {
  ...invoiceSchema.properties,
  subscriptions: Type.Array(subscriptionSchema),
  fees: Type.Array(feeSchema),
  credits: Type.Array(creditSchema),
});
export type ApiExtendedInvoice = Static<typeof extendedInvoiceSchema>;

export type InvoiceParts = {
  customer: ApiCustomer;
  taxes: readonly InvoiceTaxRow[];
  metadata: readonly InvoiceMetadataRow[];
  /** The organization's prefix, for the number of a draft. */
  prefix: string;
};

export function toApiInvoice(row: InvoiceRow, { customer, taxes, metadata, prefix }: InvoiceParts): ApiInvoice {
  const currency = row.currency ?? "";
  return {
    svc_id: row.id,
    sequential_id: row.sequential_id === null ? null : Number(row.sequential_id),
    number: row.number ?? draftNumber(prefix),
    issuing_date: String(row.issuing_date),
    payment_due_date: String(row.payment_due_date),
    net_payment_term: row.net_payment_term ?? 0,
    invoice_type: row.invoice_type,
    status: row.status as ApiInvoice["status"],
    payment_status: row.payment_status,
    payment_dispute_lost_at: toApiInstantOrNull(row.payment_dispute_lost_at),
    payment_overdue: row.payment_overdue,
    currency,
    ...toApiFigures(row),
    purchase_order_number: row.purchase_order_number,
    file_url: null,
    version_number: VERSION_NUMBER,
    created_at: toApiInstant(row.created_at),
    updated_at: toApiInstant(row.updated_at),
    voided_at: toApiInstantOrNull(row.voided_at),
    customer,
    metadata: metadata.map((pair) => ({
      svc_id: pair.id,
      key: pair.key,
      value: pair.value,
      created_at: toApiInstant(pair.created_at),
    })),
    applied_taxes: taxes.map((tax) => toApiInvoiceTax(tax, currency)),
  };
}

/** The five parts and the total are stored; the two sums in between are derived. */
function toApiFigures(row: InvoiceRow) {
  const owed = owedOf(row);
  const excluding = row.fees_amount_cents - row.coupons_amount_cents;
  return {
    fees_amount_cents: row.fees_amount_cents,
    coupons_amount_cents: row.coupons_amount_cents,
    progressive_billing_credit_amount_cents: 0n,
    sub_total_excluding_taxes_amount_cents: excluding,
    taxes_amount_cents: row.taxes_amount_cents,
    sub_total_including_taxes_amount_cents: excluding + row.taxes_amount_cents,
    credit_notes_amount_cents: row.credit_notes_amount_cents,
    prepaid_credit_amount_cents: row.prepaid_credit_amount_cents,
    total_amount_cents: row.total_amount_cents,
    total_paid_amount_cents: owed.paidMinor,
    total_written_off_amount_cents: owed.writtenOffMinor,
    total_due_amount_cents: amountDue(owed),
  };
}

const toApiInvoiceTax = (tax: InvoiceTaxRow, currency: string): ApiInvoice["applied_taxes"][number] => ({
  svc_id: tax.id,
  svc_invoice_id: tax.invoice_id,
  svc_tax_id: tax.tax_id,
  tax_name: tax.tax_name,
  tax_code: tax.tax_code,
  tax_rate: Number(tax.tax_rate.toFixed()),
  tax_description: tax.tax_description,
  amount_cents: tax.amount_cents,
  amount_currency: currency,
  fees_amount_cents: tax.fees_amount_cents,
  created_at: toApiInstant(tax.created_at),
});
