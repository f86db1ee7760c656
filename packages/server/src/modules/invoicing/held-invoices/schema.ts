/** The webhook form of a held invoice. The API does not show the invoice itself yet. */
import { type Static, Type } from "@fastify/type-provider-typebox";
import { id, instant, nullable, oneOf } from "../../../http/fields.ts";
import { namedObject } from "../../../http/named-object.ts";

export const heldInvoiceSchema = namedObject("HeldInvoice", {
  svc_invoice_id: id("Id of the invoice, which is visible after its release"),
  svc_customer_id: id(),
  external_customer_id: Type.String(),
  step: oneOf(["issue", "finalize"], { description: "The interrupted step: create the invoice, or finalize a draft" }),
  held_at: instant(),
  differences: Type.Array(
    Type.Object({
      figure: Type.String({ examples: ["total"] }),
      first: nullable(Type.String()),
      second: nullable(Type.String()),
    }),
    { description: "The figures that differ, with both results" },
  ),
});
export type ApiHeldInvoice = Static<typeof heldInvoiceSchema>;
