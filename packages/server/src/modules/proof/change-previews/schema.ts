/** What POST /subscriptions/preview takes and answers. */
import { type Static, Type } from "@fastify/type-provider-typebox";
import { envelope, id, instant, nothing, nullable, oneOf } from "../../../http/fields.ts";
import { namedObject } from "../../../http/named-object.ts";
import { ERROR_RESPONSES } from "../../../http/openapi.ts";
import { creditNoteSchema } from "../../credit/index.ts";
import { previewSchema } from "../../invoicing/index.ts";
import { changeToPreview } from "../../subscriptions/index.ts";

const { credits } = previewSchema.properties;

const invoiceOfChange = namedObject("InvoiceOfChange", {
  ...previewSchema.properties,
  status: oneOf(["draft", "finalized"], { description: "`draft` if the customer has a grace period" }),
  credits: Type.Array(
    namedObject("CreditOfChange", {
      ...credits.items.properties,
      item: Type.Object({
        svc_item_id: nullable(id("Null for a credit note that the change itself would make")),
        type: Type.String({ examples: ["coupon", "credit_note"] }),
        code: nullable(Type.String({ description: "For a credit note its number; null if the change would make it" })),
        name: Type.String({ description: "For a credit note the number of the credited invoice" }),
      }),
    }),
  ),
});
export type InvoiceOfChange = Static<typeof invoiceOfChange>;

const { items, applied_taxes } = creditNoteSchema.properties;

const creditNoteOfChange = namedObject("CreditNoteOfChange", {
  ...creditNoteSchema.properties,
  svc_id: nothing(),
  sequential_id: nothing(),
  number: nothing(),
  created_at: nothing(),
  updated_at: nothing(),
  file_url: nothing(),
  items: Type.Array(namedObject("CreditNoteItemOfChange", { ...items.items.properties, svc_id: nothing() })),
  applied_taxes: Type.Array(
    namedObject("CreditNoteTaxOfChange", {
      ...applied_taxes.items.properties,
      svc_id: nothing(),
      svc_credit_note_id: nothing(),
      created_at: nothing(),
    }),
  ),
});
export type CreditNoteOfChange = Static<typeof creditNoteOfChange>;

const changePreview = namedObject("SubscriptionChangePreview", {
  takes_effect_at: instant(
    "From then on, what is billed differs: now, at the end of the period, or at a start or end in the future",
  ),
  now: namedObject("DocumentsOfChange", {
    invoices: Type.Array(invoiceOfChange, {
      description:
        "Those that the change makes, in their order. At an end on the real clock, they wait some minutes for late usage",
    }),
    credit_notes: Type.Array(creditNoteOfChange, { description: "For unused days that were paid in advance" }),
  }),
  next_invoice_before: nullable(invoiceOfChange),
  next_invoice_after: nullable(invoiceOfChange),
});
export type ApiChangePreview = Static<typeof changePreview>;

export const previewSubscriptionChange = {
  summary: "Preview a change of a subscription",
  description:
    "The invoices and credit notes that the change would make now, and the next invoice of the subscription without and with the change, " +
    "from current data. The change itself runs and is rolled back: nothing is stored, spent or published, and a change that would be " +
    "refused is refused in the same way. Ids, numbers and timestamps of what does not exist are null, and so is a next invoice of a " +
    "subscription that is not active. Invoices of fees that were paid alone are not in it, nor top-ups of wallets. Needs `invoice:read` " +
    "besides.",
  tags: ["Subscriptions"],
  body: changeToPreview,
  response: { 200: envelope("preview", changePreview), ...ERROR_RESPONSES },
};
