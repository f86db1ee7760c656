export { verificationErrors } from "./errors.ts";
export { verificationRoutes } from "./routes.ts";
export type { Verification } from "./verify-invoice.ts";
export { countInvoices, type Position, verifyInvoices } from "./verify-invoices.ts";
