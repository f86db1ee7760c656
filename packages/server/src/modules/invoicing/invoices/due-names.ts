/** The names of invoice due kinds in the database. */
export const INVOICE_DUE = "invoice";
/** Finalizes a draft whose customer or plan was deleted. */
export const CLOSING_DUE = "invoice_closing";
export const FINALIZATION_DUE = "invoice_finalization";
export const OVERDUE_DUE = "invoice_overdue";
