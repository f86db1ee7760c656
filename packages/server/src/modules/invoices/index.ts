export { invoiceChangeRoutes } from "./change-routes.ts";
export { invoiceDueKinds } from "./due-kinds.ts";
export { invoiceErrors } from "./errors.ts";
export { chargeItem, paymentOf, type TaxRows, toTaxOf } from "./fee-rows.ts";
export { closeInvoicesOf } from "./follow-customer.ts";
export { draftEffects, draftJobs, retimeDraftsOf } from "./follow-terms.ts";
export { holdInvoice } from "./hold-invoice.ts";
export { loadPayer, type Payer, priceListsOf } from "./load-billing.ts";
export { spendableOf, taxOf } from "./made-from.ts";
export { measureOpenInvoices } from "./measure-open.ts";
export { openInvoice } from "./open-invoice.ts";
export { listWaiting, pauseBilling, resumeBilling } from "./pause-billing.ts";
export { invoicePreviewRoutes } from "./preview-routes.ts";
export { invoiceRoutes } from "./routes.ts";
export { type InvoiceDeps, type Making, saveInvoice } from "./save-invoice.ts";
export {
  type CreditSource,
  type InvoiceCredits,
  loadSpendable,
  type Spending,
  type Voided,
} from "./spendable.ts";
export { findInvoice, findInvoiceTaxes, type InvoiceRow, insertInvoice, lockInvoice } from "./store.ts";
