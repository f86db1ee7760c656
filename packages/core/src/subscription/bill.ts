/** What a bill of a subscription covers, for each reason to bill. */
import type { UsageWindow } from "../usage/index.ts";
import { skipsBill } from "./at-end.ts";
import type { Accepted, ChargeParts, ReturnedDays, Takeover } from "./charge-parts.ts";
import { endsFeePeriod, periodsAfter } from "./open-periods.ts";
import { isBefore } from "./order.ts";
import { type PlanChange, partsAtClose } from "./plan-change.ts";
import { type FeeWindow, feeWindowIn, type Span, spanIn, usageWindowIn } from "./span.ts";
import type { Active, Started, Terminated } from "./subscription.ts";

export type Bill = {
  readonly reason: "starting" | "periodic" | "trial_end" | "terminating";
  /** null: the bill has no subscription fee. */
  readonly fee: FeeWindow | null;
  /** Usage billed in arrears. Its days are also the days of a charge's minimum. */
  readonly charges: UsageWindow | null;
  /** The charges period that begins. Recurring charges paid in advance are billed for all of it. */
  readonly renewal: UsageWindow | null;
  /** The fee period that closes. A minimum commitment is reconciled over its days. */
  readonly commitment: Span | null;
  /**
   * Charges on recurring metrics that a plan change affects: those in advance on a starting bill, the others in arrears. null: the bill is
   * older than this member.
   */
  readonly parts: ChargeParts | null;
  /** Days of recurring metrics that were paid in advance and are returned with this bill. */
  readonly returned: readonly ReturnedDays[];
  /** For recurring metrics: events at the instant of the plan change that were accepted before it. Missing: there were none. */
  readonly acceptedBefore?: Accepted;
};

const EMPTY = { fee: null, charges: null, renewal: null, commitment: null, parts: {}, returned: [] } as const;

/**
 * The bill at the start: a fee paid in advance, unless the trial is on or the start is backdated, and what recurring charges in advance
 * bill at once because another plan was replaced. null: no bill.
 */
export function startingBill(subscription: Active): Bill | null {
  const { plan, origin, trial, open, takeover } = subscription;
  const isFeeDue = plan.isPaidInAdvance && origin !== "backdated" && (trial === null || trial.hasEnded);
  const fee = isFeeDue ? feeWindowIn(subscription, open.fee) : null;
  const parts = takeover?.atOnce ?? {};
  const isRenewed = origin === "downgrade" || Object.values(parts).some(({ type }) => type !== "left_out");
  const renewal = isRenewed ? usageWindowIn(subscription, open.charges) : null;
  if (fee === null && renewal === null) return null;
  return { ...EMPTY, reason: "starting", fee, renewal, parts, ...acceptedOf(takeover) };
}

/**
 * The bill at the end of the open charges period: its usage and, if the fee period ends too, its fee, or the next fee if it is paid in
 * advance. During a trial no fee is paid in advance. A trial that ends at this exact instant is over.
 */
export function periodicBill(subscription: Started): Bill {
  // The bill depends on its instant: a later end does not shorten the period paid in advance.
  const living: Active = { ...subscription, status: "active" };
  const { plan, trial, open } = living;
  const following = periodsAfter(living);
  const isInTrial = trial !== null && isBefore(open.charges.to, trial.endsAt);
  const isFeeDue = endsFeePeriod(open) && !(plan.isPaidInAdvance && isInTrial);
  return {
    reason: "periodic",
    fee: isFeeDue ? feeWindowIn(living, plan.isPaidInAdvance ? following.fee : open.fee) : null,
    charges: usageWindowIn(living, open.charges),
    renewal: usageWindowIn(living, following.charges),
    commitment: endsFeePeriod(open) ? spanIn(living, open.fee) : null,
    parts: partsAtClose(living),
    returned: [],
  };
}

/** The bill at the end of the trial: the first fee paid in advance, for the rest of the period. null: nothing is due. */
export function trialEndBill(subscription: Active): Bill | null {
  const { plan, trial, open } = subscription;
  // The bill of a period that begins at the end of the trial already has its fee.
  if (!plan.isPaidInAdvance || trial === null || open.fee.from.equals(trial.endsAt)) return null;
  return { ...EMPTY, reason: "trial_end", fee: feeWindowIn(subscription, open.fee) };
}

/**
 * The bill at the end, or at an upgrade or downgrade (`change`): the usage since the last bill, and the fee if it is paid in arrears. An
 * end on a boundary closes the period that ends there. The bill is made even for 0. null: it was agreed that the end makes no bill.
 */
export function terminatingBill(
  subscription: Terminated,
  change: (Pick<PlanChange, "closing" | "returned"> & Partial<Pick<PlanChange, "takeover">>) | null = null,
): Bill | null {
  const { plan, open, terminatedAt } = subscription;
  if (isBefore(open.charges.to, terminatedAt)) throw new RangeError("Periods before the end are billed before it.");
  if (skipsBill(subscription)) return null;
  return {
    reason: "terminating",
    fee: plan.isPaidInAdvance ? null : feeWindowIn(subscription, open.fee),
    charges: usageWindowIn(subscription, open.charges),
    renewal: null,
    commitment: spanIn(subscription, open.fee),
    parts: { ...partsAtClose(subscription), ...change?.closing },
    returned: change?.returned ?? [],
    ...acceptedOf(change?.takeover),
  };
}

const acceptedOf = (takeover: Takeover | null | undefined): Pick<Bill, "acceptedBefore"> =>
  takeover?.acceptedBefore ? { acceptedBefore: takeover.acceptedBefore } : {};
