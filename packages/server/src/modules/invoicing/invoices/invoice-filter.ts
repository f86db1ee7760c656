/** Which invoices a list shows. */
import type { Selectable } from "kysely";
import type { DB } from "../../../platform/postgres/schema.ts";

type InvoiceRow = Selectable<DB["invoices"]>;

export type InvoiceFilter = {
  externalCustomerId: string | undefined;
  issuingFrom: string | undefined;
  issuingTo: string | undefined;
  status: InvoiceRow["status"] | undefined;
  paymentStatus: InvoiceRow["payment_status"] | undefined;
  isOverdue: boolean | undefined;
  isDisputeLost: boolean | undefined;
  invoiceType: InvoiceRow["invoice_type"] | undefined;
  currency: string | undefined;
  searchTerm: string | undefined;
};

type Query = Partial<
  Record<"external_customer_id" | "issuing_date_from" | "issuing_date_to" | "currency" | "search_term", string>
> &
  Partial<Pick<InvoiceRow, "status" | "payment_status" | "invoice_type">> & {
    payment_overdue?: unknown;
    payment_dispute_lost?: unknown;
  };

export const toFilter = (query: Query): InvoiceFilter => ({
  externalCustomerId: query.external_customer_id,
  issuingFrom: query.issuing_date_from,
  issuingTo: query.issuing_date_to,
  status: query.status,
  paymentStatus: query.payment_status,
  isOverdue: toFlag(query.payment_overdue),
  isDisputeLost: toFlag(query.payment_dispute_lost),
  invoiceType: query.invoice_type,
  currency: query.currency,
  searchTerm: query.search_term,
});

/** Ignores invalid values. */
function toFlag(value: unknown): boolean | undefined {
  if (value === "true" || value === "1") return true;
  return value === "false" || value === "0" ? false : undefined;
}
