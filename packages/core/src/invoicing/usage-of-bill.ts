/** Which usage a bill needs: of which charges, over which window. It is read before the fees are made. */
import type { Charge, Plan } from "../catalog/index.ts";
import { type Bill, chargesInArrears, chargesRenewed } from "../subscription/index.ts";
import type { UsageWindow } from "../usage/index.ts";

export type WantedUsage = { readonly charges: readonly Charge[]; readonly window: UsageWindow };

export type UsageOfBill = {
  /** What the closing window used; null: the bill has no usage. */
  readonly inArrears: WantedUsage | null;
  /** What recurring charges paid in advance hold where the renewed period begins; null: nothing is renewed. */
  readonly renewed: WantedUsage | null;
};

/** `successor` is the new plan of an upgrade, which takes over recurring metrics that it has too; null otherwise. */
export function usageOfBill({ charges, renewal }: Bill, plan: Plan, successor: Plan | null): UsageOfBill {
  return {
    inArrears: charges && { charges: chargesInArrears(plan, successor), window: charges },
    renewed: renewal && { charges: chargesRenewed(plan), window: charges ?? upTo(renewal) },
  };
}

/** A plan that begins has no closing window. One that ends where it starts sees all of a recurring metric before it. */
const upTo = (renewal: UsageWindow): UsageWindow => ({ ...renewal, to: renewal.from });
