/** The next bills if nothing changes, for a preview. */

import type { Charge } from "../catalog/index.ts";
import { type Bill, periodicBill, startingBill, terminatingBill, trialEndBill } from "./bill.ts";
import { type Due, dueInstants } from "./due.ts";
import { isBefore } from "./order.ts";
import { changePlan, type PlanChange } from "./plan-change.ts";
import type { Active, Downgrade, Terminated } from "./subscription.ts";
import { closePeriod, endTrial, takeDowngrade, terminate } from "./transitions.ts";

/** A subscription when it is billed. `isNext`: it is pending to replace the active one. `ended`: as the bill leaves it, if it ends with it. */
export type ComingBill = {
  readonly isNext: boolean;
  readonly subscription: Active;
  readonly bill: Bill;
  readonly ended?: Terminated;
};

export type ComingBills = {
  readonly at: Temporal.Instant;
  /** The end of a period is billed together with all others of the customer at that instant; anything else on its own. */
  readonly isShared: boolean;
  readonly bills: readonly ComingBill[];
};

/** A pending downgrade, with the charges of both plans. */
export type WaitingChange = {
  readonly next: Downgrade;
  readonly charges: readonly Charge[];
  readonly nextCharges: readonly Charge[];
};

/** The next occasion on which an active subscription is billed; null if it ends without a bill before. */
export function comingBills(active: Active, waiting: WaitingChange | null): ComingBills | null {
  for (const due of dueInstants(active, waiting?.next ?? null, active.startedAt)) {
    const bills = billsOf(due, active, waiting);
    if (bills.length > 0) return { at: due.at, isShared: due.kind === "period_end", bills };
  }
  return null;
}

function billsOf({ kind, at }: Due, active: Active, waiting: WaitingChange | null): ComingBill[] {
  const one = (bill: Bill | null): ComingBill[] =>
    bill === null ? [] : [{ isNext: false, subscription: active, bill }];
  switch (kind) {
    case "period_end":
      return one(periodicBill(active));
    case "trial_end":
      return one(trialEndBill(active));
    case "ending": {
      const { ended } = terminate(active, waiting?.next ?? null, at);
      return one(terminatingBill(ended)).map((coming) => ({ ...coming, ended }));
    }
    case "downgrade": {
      if (waiting === null) throw new RangeError("A downgrade that is due waits.");
      const { old, successor, change } = takeWaiting(active, waiting);
      const starting = startingBill(successor);
      const started = starting && { isNext: true, subscription: successor, bill: starting };
      return [...one(terminatingBill(old, change)), ...(started ? [started] : [])];
    }
    case "activation":
    case "termination_alert":
      return [];
  }
}

/** As when it is due: the successor knows what it takes over. */
function takeWaiting(
  active: Active,
  { next, charges, nextCharges }: WaitingChange,
): { old: Terminated; successor: Active; change: PlanChange } {
  const { old, successor } = takeDowngrade(active, next);
  const change = changePlan({ subscription: old, charges }, { subscription: successor, charges: nextCharges }, null);
  return { old, successor: { ...successor, takeover: change.takeover }, change };
}

/** A bill at an instant before the one that is asked for. */
export type EarlierBill = { readonly at: Temporal.Instant; readonly bill: Bill };

/** `earlier`: bills of the subscription that are not made yet, since the start of the days of its commitment: their fees count for it. */
export type SharedBill = ComingBill & { readonly earlier: readonly EarlierBill[] };

/**
 * The bill of a period that ends at an instant; null if none does, or if it is billed on its own or is over. `isPending`: the subscription
 * has yet to begin, so its first bill is not made either.
 */
export function periodicBillAt(
  active: Active,
  change: WaitingChange | null,
  at: Temporal.Instant,
  isPending = false,
): SharedBill | null {
  let [subscription, waiting] = [active, change];
  const starting = isPending ? startingBill(active) : null;
  let earlier: EarlierBill[] = starting ? [{ at: active.startedAt, bill: starting }] : [];
  for (;;) {
    const due = dueInstants(subscription, waiting?.next ?? null, active.startedAt).find(
      ({ kind }) => kind !== "activation" && kind !== "termination_alert",
    );
    if (!due || isBefore(at, due.at)) return null;
    const isNext = waiting === null && change !== null;
    if (due.at.equals(at))
      return due.kind === "period_end"
        ? sharedBill({ isNext, subscription, bill: periodicBill(subscription) }, earlier)
        : null;
    if (due.kind === "ending") return null;
    const bills = billsOf(due, subscription, waiting).map((one) => ({ ...one, at: due.at }));
    if (due.kind === "downgrade" && waiting !== null) {
      subscription = takeWaiting(subscription, waiting).successor;
      waiting = null;
      earlier = bills.filter((one) => one.isNext);
    } else {
      subscription = due.kind === "trial_end" ? endTrial(subscription) : closePeriod(subscription);
      earlier.push(...bills);
    }
  }
}

function sharedBill(coming: ComingBill, earlier: readonly EarlierBill[]): SharedBill {
  const { commitment } = coming.bill;
  const counts = ({ at }: EarlierBill) => commitment !== null && !isBefore(at, commitment.from);
  return { ...coming, earlier: earlier.filter(counts).map(({ at, bill }) => ({ at, bill })) };
}
