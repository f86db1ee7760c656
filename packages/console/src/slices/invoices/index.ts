/** What the router and other slices need of the invoices: how addresses are read, and what pages load first. */
export {
  invoiceQuery,
  invoicesQuery,
  summaryQuery,
} from "./queries.ts";
export { parseInvoiceSearch, parseLineSearch } from "./search.ts";
