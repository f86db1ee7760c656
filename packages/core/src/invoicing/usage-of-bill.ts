/** Which usage a bill needs: of which charges, over which window. It is read before the fees are made. */
import type { Charge, Plan } from "../catalog/index.ts";
import { type Bill, type ChargePart, chargesInArrears, chargesRenewed } from "../subscription/index.ts";
import type { UsageWindow } from "../usage/index.ts";

export type WantedUsage = {
  readonly charge: Charge;
  readonly window: UsageWindow;
  /** Fees in advance were made for the units of this window: the highest total in it is paid for. null: nothing was. */
  readonly paid: UsageWindow | null;
};

export type UsageOfBill = {
  /** What the closing window used. */
  readonly inArrears: readonly WantedUsage[];
  /** What recurring charges paid in advance hold where the renewed period begins. */
  readonly renewed: readonly WantedUsage[];
};

/** `successor` is the new plan of an upgrade, of which a bill without parts has nothing else; null otherwise. */
export function usageOfBill(bill: Bill, plan: Plan, successor: Plan | null): UsageOfBill {
  const { charges, renewal } = bill;
  const held = renewal && (charges ?? upTo(renewal));
  return {
    inArrears: charges
      ? chargesInArrears(bill, plan, successor).map((charge) => ({
          charge,
          window: windowOf(charges, partOf(bill, charge)),
          paid: paidWindow(charges, partOf(bill, charge)),
        }))
      : [],
    renewed: held ? chargesRenewed(bill, plan).map((charge) => ({ charge, window: held, paid: null })) : [],
  };
}

/** How a bill has a charge in arrears; undefined: as always. */
export const partOf = ({ parts }: Pick<Bill, "parts">, { id }: Charge): ChargePart | undefined => parts?.[id];

/** A charge that bills only some days weighs only those. */
const windowOf = (window: UsageWindow, part: ChargePart | undefined): UsageWindow =>
  part?.type === "days" ? { ...window, firstDay: part.firstDay, lastDay: part.lastDay } : window;

const paidWindow = (window: UsageWindow, part: ChargePart | undefined): UsageWindow | null =>
  part?.type === "beyond_paid" ? { ...window, from: part.paidFrom, to: part.paidTo } : null;

/** A plan that begins has no closing window. One that ends where it starts sees all of a recurring metric before it. */
const upTo = (renewal: UsageWindow): UsageWindow => ({ ...renewal, to: renewal.from });
