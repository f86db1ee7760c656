/** In tests, the second opinion contradicts every invoice with a fee of one amount, so that requests alone can bring an invoice to be held. */
import { type Recomputation, type RecomputationInput, recomputeInvoice } from "@tallystick/second-opinion";

export const CONTRADICTED_CENTS = 987_654_321;

export function contradict(requested: RecomputationInput): Recomputation {
  const recomputation = recomputeInvoice(requested);
  const isContradicted = Object.values(recomputation).includes(String(CONTRADICTED_CENTS));
  return isContradicted ? { ...recomputation, total: `${BigInt(recomputation.total ?? "0") - 1n}` } : recomputation;
}
