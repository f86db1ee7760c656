/** Which charges of a plan a subscription's bill prices. */
import { type Charge, isRecurring, type Plan } from "../catalog/index.ts";

/**
 * Charges in arrears, for the usage of a bill. On an upgrade `successor` is the new plan: it bills what a recurring metric
 * holds when its own period closes, so the old plan leaves that out, unless it prorates it by days.
 */
export function chargesInArrears(plan: Plan, successor: Plan | null): readonly Charge[] {
  const taken = new Set(successor?.charges.map(({ metric }) => metric.code));
  return plan.charges.filter(
    ({ timing, metric, isProrated }) =>
      timing.type === "arrears" && !(isRecurring(metric.aggregation) && !isProrated && taken.has(metric.code)),
  );
}

/** Charges in advance on recurring metrics: what they hold is billed in full for a period that begins. */
export function chargesRenewed(plan: Plan): readonly Charge[] {
  return plan.charges.filter(({ timing, metric }) => timing.type === "in_advance" && isRecurring(metric.aggregation));
}
