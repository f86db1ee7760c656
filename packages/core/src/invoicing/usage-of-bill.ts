/** Which usage a bill needs: of which charges, over which window. It is read before the fees are computed. */
import { type Charge, isRecurring, type Plan } from "../catalog/index.ts";
import { type Accepted, type Bill, type ChargePart, chargesInArrears, chargesRenewed } from "../subscription/index.ts";
import type { UsageWindow } from "../usage/index.ts";

export type UsageQuery = {
  readonly charge: Charge;
  readonly window: UsageWindow;
  /** These events at the exact end of the window are included. Missing: none is. */
  readonly upTo?: Accepted;
  /** Fees in advance were made for the units of this window, so its highest total is paid. null: none was. */
  readonly paid: PaidWindow | null;
};

/** Events at its start and its end up to these positions came before. */
export type PaidWindow = UsageWindow & { readonly after?: Accepted; readonly upTo?: Accepted };

export type UsageOfBill = {
  /** The usage of the closing window. */
  readonly inArrears: readonly UsageQuery[];
  /** What recurring charges paid in advance hold at the start of the renewed period. */
  readonly renewed: readonly UsageQuery[];
};

/** `successor`: the new plan of an upgrade, for a bill without parts; null otherwise. */
export function usageOfBill(bill: Bill, plan: Plan, successor: Plan | null): UsageOfBill {
  const { charges, renewal } = bill;
  const held = renewal && (charges ?? upTo(renewal));
  return {
    inArrears: charges
      ? chargesInArrears(bill, plan, successor).map((charge) => ({
          ...usageInArrears(charge, charges, partOf(bill, charge)),
          ...upToEnd(bill, charge),
        }))
      : [],
    renewed: held
      ? chargesRenewed(bill, plan).map((charge) => ({
          charge,
          window: held,
          ...upToEnd(bill, charge),
          paid: null,
        }))
      : [],
  };
}

/** The usage of a charge in arrears in a window of which a plan change leaves it a part; undefined: all of it. */
export const usageInArrears = (charge: Charge, window: UsageWindow, part: ChargePart | undefined): UsageQuery => ({
  charge,
  window: windowOf(window, part),
  paid: paidWindow(window, part),
});

/** How a bill covers a charge in arrears; undefined: completely. */
export const partOf = ({ parts }: Pick<Bill, "parts">, { id }: Charge): ChargePart | undefined => parts?.[id];

/** A charge that bills only some days weighs only those. */
const windowOf = (window: UsageWindow, part: ChargePart | undefined): UsageWindow =>
  part?.type === "days" ? { ...window, firstDay: part.firstDay, lastDay: part.lastDay } : window;

/** A weighted sum weighs seconds, and the last instant has none. Other metrics bill an event with the plan of its time. */
export const acceptedAtEnd = (
  { acceptedBefore }: { readonly acceptedBefore?: Accepted | null },
  { metric: { aggregation } }: Charge,
): Accepted | null =>
  isRecurring(aggregation) && aggregation.type !== "weighted_sum" ? (acceptedBefore ?? null) : null;

function upToEnd(bill: Bill, charge: Charge): Pick<UsageQuery, "upTo"> {
  const upTo = acceptedAtEnd(bill, charge);
  return upTo ? { upTo } : {};
}

function paidWindow(window: UsageWindow, part: ChargePart | undefined): PaidWindow | null {
  if (part?.type !== "beyond_paid") return null;
  const { paidFrom: from, paidTo: to, paidAfter, paidUpTo } = part;
  return { ...window, from, to, ...(paidAfter ? { after: paidAfter } : {}), ...(paidUpTo ? { upTo: paidUpTo } : {}) };
}

/** A plan that begins has no closing window. A plan that ends where it starts sees everything of a recurring metric before it. */
const upTo = (renewal: UsageWindow): UsageWindow => ({ ...renewal, to: renewal.from });
