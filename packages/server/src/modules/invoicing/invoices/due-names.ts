/** What the due instants of invoices are called in the database. */
export const INVOICE_DUE = "invoice";
/** Finalization of a draft whose customer or plan was deleted. */
export const CLOSING_DUE = "invoice_closing";
export const FINALIZATION_DUE = "invoice_finalization";
export const OVERDUE_DUE = "invoice_overdue";
