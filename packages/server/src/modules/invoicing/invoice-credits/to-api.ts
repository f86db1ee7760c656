/** The credits that invoices and applied coupons show. */
import { type Static, Type } from "@fastify/type-provider-typebox";
import { id, nothing, wholeNumber } from "../../../http/fields.ts";
import { namedObject } from "../../../http/named-object.ts";
import type { InvoiceCreditRow, NewCredit } from "./store.ts";

export const creditSchema = namedObject("Credit", {
  svc_id: id(),
  amount_cents: wholeNumber(),
  amount_currency: Type.String(),
  before_taxes: Type.Boolean({ description: "True for coupons, false for credit notes" }),
  item: Type.Object({
    svc_item_id: id(),
    type: Type.String({ examples: ["coupon", "credit_note"] }),
    code: Type.String({ description: "For a credit note its number" }),
    name: Type.String({ description: "For a credit note the number of the credited invoice" }),
  }),
  invoice: Type.Object({ svc_id: id(), payment_status: Type.String() }),
});

/** The credit of a preview. */
export const previewCreditSchema = namedObject("PreviewCredit", {
  ...creditSchema.properties,
  svc_id: nothing(),
  invoice: Type.Object({ svc_id: nothing(), payment_status: Type.String() }),
});

type OfInvoice = { currency: string | null; payment_status: string };

export const toApiCredit = (row: InvoiceCreditRow, invoice: OfInvoice): Static<typeof creditSchema> => ({
  ...toApiUse(row, invoice),
  svc_id: row.id,
  invoice: { svc_id: row.invoice_id, payment_status: invoice.payment_status },
});

export const toApiPreviewCredit = (use: NewCredit, invoice: OfInvoice): Static<typeof previewCreditSchema> => ({
  ...toApiUse(use, invoice),
  svc_id: null,
  invoice: { svc_id: null, payment_status: invoice.payment_status },
});

const toApiUse = (use: NewCredit, { currency }: OfInvoice) => ({
  amount_cents: use.amount_cents,
  amount_currency: currency ?? "",
  before_taxes: use.kind === "coupon",
  item: { svc_item_id: use.item_id, type: use.kind, code: use.item_code, name: use.item_name },
});
