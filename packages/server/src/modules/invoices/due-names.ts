/** What the due instants of invoices are called in the database. */
export const INVOICE_DUE = "invoice";
export const FINALIZATION_DUE = "invoice_finalization";
export const OVERDUE_DUE = "invoice_overdue";
