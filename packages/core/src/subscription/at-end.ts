/** What the end of a subscription makes. A change of plan is no end. */
import type { PlanFrame } from "../catalog/index.ts";

/** credit: unused days that were paid in advance are credited. refund: what was paid of them is refunded, the rest is credited. */
export const CREDIT_NOTES_AT_END = ["credit", "refund", "skip"] as const;

/** skip: the period that ends is never billed. */
export const INVOICES_AT_END = ["generate", "skip"] as const;

export type AtEnd = {
  /** null: the plan is paid in arrears, so nothing comes back. */
  readonly creditNote: (typeof CREDIT_NOTES_AT_END)[number] | null;
  readonly invoice: (typeof INVOICES_AT_END)[number];
};

/** ended: nothing follows. An upgrade takes its own day, so the old plan does not include that day. */
export type EndCause = "ended" | "upgraded" | "downgraded";

/** A subscription that has ended. */
type Over = { readonly cause: EndCause; readonly atEnd: AtEnd };

/** null: the default. undefined: not in the request. */
export type AtEndRequest = {
  readonly creditNote: AtEnd["creditNote"] | undefined;
  readonly invoice: AtEnd["invoice"] | null | undefined;
};

/** What was requested, else what was agreed before, as far as it applies to the plan. */
export function agreeAtEnd(
  { isPaidInAdvance }: Pick<PlanFrame, "isPaidInAdvance">,
  { creditNote, invoice }: AtEndRequest,
  before: AtEnd | null = null,
): AtEnd {
  const note = creditNote === undefined ? before?.creditNote : creditNote;
  return {
    creditNote: isPaidInAdvance ? (note ?? "credit") : null,
    invoice: (invoice === undefined ? before?.invoice : invoice) ?? "generate",
  };
}

/** The subscription with what a request says about its end; what it does not mention stays. */
export const withAtEnd = <State extends { readonly plan: PlanFrame; readonly atEnd: AtEnd }>(
  state: State,
  request: AtEndRequest,
): State => ({
  ...state,
  atEnd: agreeAtEnd(state.plan, request, state.atEnd),
});

/** Whether the end makes no bill. */
export const skipsBill = ({ cause, atEnd }: Over): boolean => cause === "ended" && atEnd.invoice === "skip";

/** Whether nothing of what was paid in advance comes back. */
export const keepsUnused = ({ cause, atEnd }: Over): boolean => cause === "ended" && atEnd.creditNote === "skip";

/** Whether what was paid of the unused days comes back in money. */
export const refundsUnused = ({ cause, atEnd }: Over): boolean => cause === "ended" && atEnd.creditNote === "refund";
