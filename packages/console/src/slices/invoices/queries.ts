/** What the invoice pages read. Everything of an invoice is below ["invoices", organization], so that a write can refresh it at once. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { apiOf } from "../../api/client.ts";
import { FILTERS_OF_VIEW, type InvoiceSearch } from "./search.ts";

const PAGE = 25;
const NEVER_STALE = Number.POSITIVE_INFINITY;

const filtersOf = ({ q, customer }: InvoiceSearch) => ({
  ...(q ? { search_term: q } : {}),
  ...(customer ? { external_customer_id: customer } : {}),
});

export const invoicesQuery = (organization: string, { view = "all", page = 1, ...search }: InvoiceSearch) => {
  const query = { page, per_page: PAGE, ...FILTERS_OF_VIEW[view], ...filtersOf(search) };
  return queryOptions({
    queryKey: ["invoices", organization, "list", query],
    queryFn: async () => await apiOf(organization).invoices.list(query),
    placeholderData: keepPreviousData,
  });
};

export const summaryQuery = (organization: string, search: InvoiceSearch) => {
  const filters = filtersOf(search);
  return queryOptions({
    queryKey: ["invoices", organization, "summary", filters],
    queryFn: () => apiOf(organization).invoices.getSummary(filters),
    placeholderData: keepPreviousData,
  });
};

export const invoiceQuery = (organization: string, id: string) =>
  queryOptions({
    queryKey: ["invoices", organization, id],
    queryFn: () => apiOf(organization).invoices.get(id),
  });

export const verificationQuery = (organization: string, id: string) =>
  queryOptions({
    queryKey: ["invoices", organization, id, "verification"],
    staleTime: NEVER_STALE,
    queryFn: () => apiOf(organization).invoices.getVerification(id),
  });

export const pagesQuery = (organization: string, id: string) =>
  queryOptions({
    queryKey: ["invoices", organization, id, "pages"],
    queryFn: () => apiOf(organization).invoices.getPages(id),
  });

export const explanationQuery = (organization: string, feeId: string) =>
  queryOptions({
    queryKey: ["fees", organization, feeId, "explanation"],
    queryFn: () => apiOf(organization).fees.getExplanation(feeId),
  });

export const creditNotesQuery = (organization: string, customer: string) =>
  queryOptions({
    queryKey: ["credit-notes", organization, customer],
    queryFn: async () =>
      (await apiOf(organization).creditNotes.list({ external_customer_id: customer, per_page: 100 })).items,
  });

export const heldInvoicesQuery = (organization: string) =>
  queryOptions({
    queryKey: ["invoices", organization, "held"],
    queryFn: async () => (await apiOf(organization).heldInvoices.list({ per_page: 100 })).items,
  });

export const parkedItemsQuery = (organization: string) =>
  queryOptions({
    queryKey: ["invoices", organization, "parked"],
    queryFn: async () => await apiOf(organization).parkedItems.list({ per_page: 100 }),
  });
