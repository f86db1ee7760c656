/** Which charges of a plan a subscription's bill prices. */
import { type Charge, isRecurring, type Plan } from "../catalog/index.ts";
import type { Bill } from "./bill.ts";

/**
 * Charges in arrears, for the usage of a bill, without those that another plan bills instead. A bill without parts uses `successor`, the
 * new plan of an upgrade: it bills recurring metrics that both plans have, unless they are prorated.
 */
export function chargesInArrears(
  { parts }: Pick<Bill, "parts">,
  plan: Plan,
  successor: Plan | null,
): readonly Charge[] {
  const inArrears = plan.charges.filter(({ timing }) => timing.type === "arrears");
  if (parts !== null) return inArrears.filter(({ id }) => parts[id]?.type !== "left_out");
  const taken = new Set(successor?.charges.map(({ metric }) => metric.code));
  return inArrears.filter(
    ({ metric, isProrated }) => !(isRecurring(metric.aggregation) && !isProrated && taken.has(metric.code)),
  );
}

/**
 * Charges in advance on recurring metrics: what they hold is billed for a period that begins. A starting bill has only those that it
 * mentions; a bill without parts has all.
 */
export function chargesRenewed({ reason, parts }: Pick<Bill, "reason" | "parts">, plan: Plan): readonly Charge[] {
  const renewed = plan.charges.filter(
    ({ timing, metric }) => timing.type === "in_advance" && isRecurring(metric.aggregation),
  );
  if (reason !== "starting" || parts === null) return renewed;
  return renewed.filter(({ id }) => (parts[id]?.type ?? "left_out") !== "left_out");
}
