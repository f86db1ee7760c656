/** An invoice that is held, as endpoints are told of it: nobody can see the invoice itself yet. */
import { type Static, Type } from "@fastify/type-provider-typebox";
import { id, instant, nullable, oneOf } from "../../../http/fields.ts";

export const heldInvoiceSchema = Type.Object({
  svc_invoice_id: id("Of the invoice, which is shown once it is released"),
  svc_customer_id: id(),
  external_customer_id: Type.String(),
  step: oneOf(["issue", "finalize"], { description: "What was to be done: make it, or finalize a draft" }),
  held_at: instant(),
  differences: Type.Array(
    Type.Object({
      figure: Type.String({ examples: ["total"] }),
      first: nullable(Type.String()),
      second: nullable(Type.String()),
    }),
    { description: "Where the two computations differ, with what each says" },
  ),
});
export type ApiHeldInvoice = Static<typeof heldInvoiceSchema>;
