export { changePreviewRoutes } from "./change-previews/index.ts";
export { explanationErrors, explanationRoutes } from "./explanations/index.ts";
export {
  countInvoices,
  type Position,
  type Verification,
  verificationErrors,
  verificationRoutes,
  verifyInvoices,
} from "./verification/index.ts";
