/**
 * Parts of the schema that a release had and that were removed or changed since, by release, each with its reason. The release before
 * does not use them any more (ADR 0010), or works with the new form as well.
 */
export const CONTRACTED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "0.1.0": {
    "index CREATE INDEX invoices_customer ON public.invoices USING btree (organization_id, customer_id, issuing_date DESC, created_at DESC, id DESC) WHERE (status <> 'generating'::text)":
      "invoices_of_customers begins with the same columns",
  },
};
