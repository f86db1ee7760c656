/** The API form of an invoice that does not exist: without ids, number and timestamps. */
import { type Static, Type } from "@fastify/type-provider-typebox";
import type { computeInvoice, InvoiceDates } from "@tallystick/core/invoicing";
import { nothing } from "../../../http/fields.ts";
import { namedObject } from "../../../http/named-object.ts";
import { type ApiFee, feeSchema } from "../fees/index.ts";
import { type NewCredit, previewCreditSchema, toApiPreviewCredit } from "../invoice-credits/index.ts";
import { type TaxRows, toTaxOf } from "./fee-rows.ts";
import type { Payer } from "./load-billing.ts";
import { extendedInvoiceSchema, VERSION_NUMBER } from "./to-api.ts";

const previewFee = namedObject("PreviewFee", {
  ...feeSchema.properties,
  svc_id: nothing(),
  svc_invoice_id: nothing(),
  svc_true_up_fee_id: nothing(),
  svc_true_up_parent_fee_id: nothing(),
  created_at: nothing(),
});

const { applied_taxes: shownTaxes } = extendedInvoiceSchema.properties;

export const previewSchema = namedObject("InvoicePreview", {
  ...extendedInvoiceSchema.properties,
  svc_id: nothing(),
  sequential_id: nothing(),
  number: nothing(),
  created_at: nothing(),
  updated_at: nothing(),
  fees: Type.Array(previewFee),
  credits: Type.Array(previewCreditSchema),
  applied_taxes: Type.Array(
    namedObject("PreviewAppliedTax", {
      ...shownTaxes.items.properties,
      svc_id: nothing(),
      svc_invoice_id: nothing(),
      created_at: nothing(),
    }),
  ),
});
export type ApiPreview = Static<typeof previewSchema>;

type Previewed = {
  payer: Payer;
  customer: ApiPreview["customer"];
  subscriptions: ApiPreview["subscriptions"];
  invoice: ReturnType<typeof computeInvoice>;
  currency: string;
  dates: InvoiceDates;
  taxRows: TaxRows;
  fees: readonly ApiFee[];
  credits: readonly NewCredit[];
};

export function toApiPreview(previewed: Previewed): ApiPreview {
  const { payer, customer, subscriptions, invoice, currency, dates, fees, credits } = previewed;
  const { figures } = invoice;
  return {
    svc_id: null,
    sequential_id: null,
    number: null,
    issuing_date: dates.issuingDate.toString(),
    payment_due_date: dates.paymentDueDate.toString(),
    net_payment_term: payer.netPaymentTermDays,
    invoice_type: "subscription",
    status: "draft",
    payment_status: invoice.paymentStatus,
    payment_dispute_lost_at: null,
    payment_overdue: false,
    currency,
    fees_amount_cents: figures.feesMinor,
    coupons_amount_cents: figures.couponsMinor,
    progressive_billing_credit_amount_cents: 0n,
    sub_total_excluding_taxes_amount_cents: figures.subTotalExcludingTaxesMinor,
    taxes_amount_cents: figures.taxesMinor,
    sub_total_including_taxes_amount_cents: figures.subTotalIncludingTaxesMinor,
    credit_notes_amount_cents: figures.creditNotesMinor,
    prepaid_credit_amount_cents: figures.prepaidMinor,
    total_amount_cents: figures.totalMinor,
    total_paid_amount_cents: 0n,
    total_written_off_amount_cents: 0n,
    total_due_amount_cents: 0n,
    purchase_order_number: null,
    file_url: null,
    version_number: VERSION_NUMBER,
    created_at: null,
    updated_at: null,
    voided_at: null,
    customer,
    metadata: [],
    applied_taxes: toApiTaxes(previewed),
    subscriptions,
    fees: fees.map((fee) => ({
      ...fee,
      svc_id: null,
      svc_invoice_id: null,
      svc_true_up_fee_id: null,
      svc_true_up_parent_fee_id: null,
      created_at: null,
    })),
    credits: credits.map((use) => toApiPreviewCredit(use, { currency, payment_status: invoice.paymentStatus })),
  };
}

const toApiTaxes = ({ invoice, taxRows, currency }: Previewed): ApiPreview["applied_taxes"] =>
  invoice.taxLines.map((line) => {
    const { taxId, code, name, description, rate, amountMinor } = toTaxOf(line, taxRows);
    return {
      svc_id: null,
      svc_invoice_id: null,
      svc_tax_id: taxId,
      tax_name: name,
      tax_code: code,
      tax_rate: Number(rate.toFixed()),
      tax_description: description,
      amount_cents: amountMinor,
      amount_currency: currency,
      fees_amount_cents: line.baseMinor,
      created_at: null,
    };
  });
