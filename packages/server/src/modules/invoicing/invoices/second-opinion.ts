/** Which invoices get a second computation, who computes it, and who is notified of differences. */
import type { Recomputation, RecomputationInput } from "@tallystick/second-opinion";

export type RecomputationDifference = { figure: string; first: string | null; second: string | null };

export type SecondOpinion = {
  give: (requested: RecomputationInput) => Recomputation;
  /** Whether an invoice gets one: always the same answer for an invoice. */
  isRequested: (invoiceId: string) => boolean;
  onHeld: (locked: {
    organizationId: string;
    invoiceId: string;
    differences: readonly RecomputationDifference[];
  }) => void;
  /** The requested result could not be computed: the invoice goes on without it. */
  onMissing: (missing: { organizationId: string; invoiceId: string; err: unknown }) => void;
};

const SAMPLE_OF = 2 ** 32;

/** By the end of its id, which is random. */
export const isSampled = (invoiceId: string, share: number): boolean =>
  Number.parseInt(invoiceId.slice(-8), 16) < share * SAMPLE_OF;
