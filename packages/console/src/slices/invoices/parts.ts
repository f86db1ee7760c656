/** What other slices show of the invoices. A door of its own, so that the entry does not load it. */
export { InvoicesOfCustomer } from "./invoices-of-customer.tsx";
export { OwedByCustomer } from "./owed-by-customer.tsx";
export { InvoiceStatus } from "./status.tsx";
