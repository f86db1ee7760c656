/** Response schemas of credit notes. */
import { type Static, Type } from "@fastify/type-provider-typebox";
import type { CreditNoteEstimate } from "@tallystick/core/invoicing";
import { id, instant, nullable, oneOf, toApiInstant, wholeNumber } from "../../../http/fields.ts";
import { namedObject } from "../../../http/named-object.ts";
import { type ApiFee, feeSchema } from "../../invoicing/index.ts";
import type { LoadedInvoice } from "./load-creditable.ts";
import type { CreditNoteItemRow, CreditNoteRow, CreditNoteTaxRow } from "./store.ts";

export const REASONS = [
  "duplicated_charge",
  "product_unsatisfactory",
  "order_change",
  "order_cancellation",
  "fraudulent_charge",
  "other",
] as const;
export const CREDIT_STATUSES = ["available", "consumed", "voided"] as const;
export const REFUND_STATUSES = ["pending", "succeeded", "failed"] as const;

const taxMembers = {
  svc_tax_id: id(),
  tax_name: Type.String(),
  tax_code: Type.String(),
  tax_rate: Type.Number(),
  tax_description: nullable(Type.String()),
  base_amount_cents: wholeNumber("The taxable amount"),
  amount_cents: wholeNumber(),
  amount_currency: Type.String(),
};

export const creditNoteSchema = namedObject("CreditNote", {
  svc_id: id(),
  sequential_id: Type.Integer({ description: "Order among the notes of the invoice, from 1" }),
  number: Type.String({ examples: ["ACM-1A2B-001-003-CN001"] }),
  svc_invoice_id: id("The credited invoice"),
  invoice_number: Type.String(),
  issuing_date: Type.String({ description: "Local date", examples: ["2026-02-01"] }),
  credit_status: nullable(oneOf(CREDIT_STATUSES, { description: "null: the note has no credit" })),
  refund_status: nullable(oneOf(REFUND_STATUSES, { description: "null: the note has no refund" })),
  reason: oneOf(REASONS),
  description: nullable(Type.String()),
  currency: Type.String(),
  total_amount_cents: wholeNumber("Taxes included"),
  taxes_amount_cents: wholeNumber(),
  taxes_rate: Type.Number(),
  sub_total_excluding_taxes_amount_cents: wholeNumber("The items less their share of coupons"),
  balance_amount_cents: wholeNumber("The unused part of the credit"),
  credit_amount_cents: wholeNumber(),
  refund_amount_cents: wholeNumber(),
  offset_amount_cents: wholeNumber("Always 0: a note never reduces the amount due of its own invoice"),
  coupons_adjustment_amount_cents: wholeNumber("The share of coupons in the items"),
  created_at: instant(),
  updated_at: instant(),
  file_url: nullable(Type.String()),
  items: Type.Array(
    namedObject("CreditNoteItem", {
      svc_id: id(),
      amount_cents: wholeNumber(),
      amount_currency: Type.String(),
      fee: feeSchema,
    }),
  ),
  applied_taxes: Type.Array(
    namedObject("CreditNoteAppliedTax", {
      svc_id: id(),
      svc_credit_note_id: id(),
      ...taxMembers,
      created_at: instant(),
    }),
  ),
});
export type ApiCreditNote = Static<typeof creditNoteSchema>;

export type NoteParts = {
  items: readonly { item: CreditNoteItemRow; fee: ApiFee }[];
  taxes: readonly CreditNoteTaxRow[];
};

export const toApiCreditNote = (row: CreditNoteRow, { items, taxes }: NoteParts): ApiCreditNote => ({
  svc_id: row.id,
  sequential_id: Number(row.sequential_id),
  number: row.number,
  svc_invoice_id: row.invoice_id,
  invoice_number: row.invoice_number,
  issuing_date: String(row.issuing_date),
  credit_status: row.credit_status,
  refund_status: row.refund_status,
  reason: row.reason,
  description: row.description,
  currency: row.currency,
  total_amount_cents: row.total_amount_cents,
  taxes_amount_cents: row.taxes_amount_cents,
  taxes_rate: Number(row.taxes_rate.toFixed()),
  sub_total_excluding_taxes_amount_cents: row.sub_total_excluding_taxes_amount_cents,
  balance_amount_cents: row.balance_amount_cents,
  credit_amount_cents: row.credit_amount_cents,
  refund_amount_cents: row.refund_amount_cents,
  offset_amount_cents: 0n,
  coupons_adjustment_amount_cents: row.coupons_adjustment_amount_cents,
  created_at: toApiInstant(row.created_at),
  updated_at: toApiInstant(row.updated_at),
  file_url: null,
  items: items.map(({ item, fee }) => ({
    svc_id: item.id,
    amount_cents: item.amount_cents,
    amount_currency: row.currency,
    fee,
  })),
  applied_taxes: taxes.map((tax) => ({
    svc_id: tax.id,
    svc_credit_note_id: row.id,
    svc_tax_id: tax.tax_id,
    tax_name: tax.tax_name,
    tax_code: tax.tax_code,
    tax_rate: Number(tax.tax_rate.toFixed()),
    tax_description: tax.tax_description,
    base_amount_cents: tax.base_amount_cents,
    amount_cents: tax.amount_cents,
    amount_currency: row.currency,
    created_at: toApiInstant(tax.created_at),
  })),
});

export const estimateSchema = namedObject("CreditNoteEstimate", {
  svc_invoice_id: id(),
  invoice_number: Type.String(),
  currency: Type.String(),
  taxes_amount_cents: wholeNumber(),
  taxes_rate: Type.Number(),
  sub_total_excluding_taxes_amount_cents: wholeNumber(),
  max_creditable_amount_cents: wholeNumber("For these items, taxes included"),
  max_refundable_amount_cents: wholeNumber("0 unless the invoice is paid"),
  coupons_adjustment_amount_cents: wholeNumber(),
  items: Type.Array(Type.Object({ svc_fee_id: id(), amount_cents: wholeNumber() })),
  applied_taxes: Type.Array(namedObject("EstimatedCreditNoteTax", taxMembers)),
});

export const toApiEstimate = (
  { invoice, taxRows }: LoadedInvoice,
  estimate: CreditNoteEstimate,
): Static<typeof estimateSchema> => ({
  svc_invoice_id: invoice.id,
  invoice_number: invoice.number ?? "",
  currency: invoice.currency ?? "",
  taxes_amount_cents: estimate.taxesMinor,
  taxes_rate: Number(estimate.taxesRate.toFixed()),
  sub_total_excluding_taxes_amount_cents: estimate.subTotalExcludingTaxesMinor,
  max_creditable_amount_cents: estimate.maxCreditableMinor,
  max_refundable_amount_cents: estimate.maxRefundableMinor,
  coupons_adjustment_amount_cents: estimate.couponsMinor,
  items: estimate.items.map(({ feeId, amountMinor }) => ({ svc_fee_id: feeId, amount_cents: amountMinor })),
  applied_taxes: estimate.taxLines.map(({ tax, baseMinor, amountMinor }) => ({
    svc_tax_id: taxRows.get(tax.code)?.id ?? "",
    tax_name: tax.name,
    tax_code: tax.code,
    tax_rate: Number(tax.rate.toFixed()),
    tax_description: taxRows.get(tax.code)?.description ?? null,
    base_amount_cents: baseMinor,
    amount_cents: amountMinor,
    amount_currency: invoice.currency ?? "",
  })),
});
