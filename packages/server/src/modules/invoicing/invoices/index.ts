export { voidIfAllowed } from "./change-invoice.ts";
export { invoiceChangeRoutes } from "./change-routes.ts";
export { decideInvoice, taxRowsOf } from "./decide-invoice.ts";
export { describeInvoice, describeInvoices } from "./describe-invoices.ts";
export type { DocumentHooks } from "./document-hooks.ts";
export { invoiceDueKinds } from "./due-kinds.ts";
export { INVOICE_DUE } from "./due-names.ts";
export { invoiceErrors } from "./errors.ts";
export { chargeItem, feeRowsOf, paymentOf, type TaxRows, toTaxOf } from "./fee-rows.ts";
export { closeInvoicesOf, hasOpenInvoices } from "./follow-customer.ts";
export { draftEffects, draftJobs, repriceDrafts, retimeDraftsOf } from "./follow-terms.ts";
export { heldInvoiceRoutes } from "./held-routes.ts";
export { holdInvoice } from "./hold-invoice.ts";
export { createdAt, issueAtOnce } from "./issue-at-once.ts";
export { pageOfInvoices } from "./lists/store.ts";
export { type LoadedBill, loadPayer, type Payer } from "./load-billing.ts";
export { type Engine, quantitiesOf, taxOf } from "./made-from.ts";
export { type Measured, measureBillsAt } from "./measure-bills.ts";
export { measureOpenInvoices } from "./measure-open.ts";
export { invoiceMessages } from "./messages.ts";
export { openInvoice } from "./open-invoice.ts";
export {
  countWaiting,
  followPause,
  listWaiting,
  markPaused,
  type PauseDeps,
  pauseJobs,
  setPaused,
} from "./pause-billing.ts";
export { decideChange, type InvoicesOfChange, loadBefore, loadInvoicesOf } from "./preview-change.ts";
export { invoicePreviewRoutes } from "./preview-routes.ts";
export { type ApiPreview, previewSchema } from "./preview-to-api.ts";
export { figuresOf, moveOnce, openNextInvoices, owedOf } from "./receivable.ts";
export { listHeld, releaseInvoice, showHeld } from "./release-invoice.ts";
export { invoiceRoutes } from "./routes.ts";
export { demandLimits, type InvoiceDeps, type InvoiceWorkDeps } from "./save-invoice.ts";
export { isSampled, type SecondOpinion } from "./second-opinion.ts";
export { skipInvoice } from "./skip-invoice.ts";
export {
  type CreditSource,
  type InvoiceCredits,
  loadSpendable,
  type Spending,
  type Voided,
} from "./spendable.ts";
export {
  findInvoice,
  findInvoiceTaxes,
  type InvoiceRow,
  type InvoiceTaxRow,
  lockInvoice,
} from "./store.ts";
export { fromStoredSpendable, type StoredSpendable, toStoredSpendable } from "./stored-spendable.ts";
export { type ApiExtendedInvoice, extendedInvoiceSchema, invoiceSchema } from "./to-api.ts";
