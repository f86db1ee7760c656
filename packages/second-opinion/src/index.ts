// The public interface of the second opinion.

export type {
  BillCase,
  EventCase,
  PartCase,
  RecomputationInput,
  UsageCase,
} from "./recomputation-input.ts";
export { type Recomputation, recomputeInvoice } from "./recompute-invoice.ts";
export { bucketName } from "./usage.ts";
