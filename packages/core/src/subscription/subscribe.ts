/** What a request to subscribe means: a new subscription, a change of plan, or nothing. */
import { type Faults, fail, ok, type PlanFrame, type Result, yearlyAmount } from "../catalog/index.ts";
import type { BillingTime } from "../time/index.ts";
import { type AtEndRequest, agreeAtEnd, withAtEnd } from "./at-end.ts";
import { periodsHolding } from "./open-periods.ts";
import { type Past, startNew } from "./start.ts";
import {
  type Active,
  type Canceled,
  type Chain,
  type Downgrade,
  type Terminated,
  termsOf,
  type Upcoming,
} from "./subscription.ts";
import { cancel, takeUpgrade } from "./transitions.ts";
import { endingFaults, isAfterDay } from "./update.ts";

export type SubscribeRequest = {
  readonly plan: PlanFrame;
  /** The plan was created for this request from the plan that it names. */
  readonly isOverridden: boolean;
  readonly billingTime: BillingTime;
  /** null: now, from the beginning of this second. */
  readonly subscriptionAt: Temporal.Instant | null;
  /** null: never. undefined: not in the request, so a plan change keeps it. */
  readonly endingAt: Temporal.Instant | null | undefined;
  /** What is not in the request is kept by a plan change, as far as it applies to the new plan. */
  readonly atEnd: AtEndRequest;
};

/** The subscriptions of this customer under the external id. */
export type Situation = {
  readonly now: Temporal.Instant;
  readonly timeZone: string;
  readonly chain: Chain | null;
  readonly past: Past | null;
};

export type PlanChange =
  | { readonly type: "unchanged" }
  | {
      readonly type: "upgraded";
      readonly old: Terminated;
      readonly successor: Active;
      readonly canceled: Canceled | null;
    }
  | { readonly type: "downgrade_awaited"; readonly next: Downgrade; readonly canceled: Canceled | null };

export type SubscribeDecision =
  | PlanChange
  | { readonly type: "created"; readonly subscription: Upcoming | Active }
  | { readonly type: "plan_switched"; readonly subscription: Upcoming };

/** Decides a request to subscribe; a plan that costs as much a year or more is an upgrade and takes effect at once. */
export function decideSubscribe(
  request: SubscribeRequest,
  { now, timeZone, chain, past }: Situation,
): Result<SubscribeDecision, Faults> {
  const { plan, billingTime, endingAt = null } = request;
  const subscriptionAt = chain?.current.subscriptionAt ?? request.subscriptionAt ?? wholeSecond(now);
  const faults = endingFaults({ endingAt, subscriptionAt, timeZone }, now);
  if (faults !== null) return fail(faults);
  if (chain === null) {
    const atEnd = agreeAtEnd(plan, request.atEnd);
    const terms = { plan, billingTime, subscriptionAt, endingAt, atEnd, timeZone };
    return ok({ type: "created", subscription: startNew(terms, past, now) });
  }
  const { current, next } = chain;
  if (isSamePlan(request, current)) return ok({ type: "unchanged" });
  if (current.status === "pending")
    return ok({ type: "plan_switched", subscription: withAtEnd({ ...current, plan }, request.atEnd) });
  return changePlan(request, current, next, now);
}

/** Events often have whole seconds: an event that is sent in the second of the start is included. */
const wholeSecond = (now: Temporal.Instant): Temporal.Instant =>
  now.round({ smallestUnit: "second", roundingMode: "floor" });

/** After an edit of amounts: a pending downgrade that would now be an upgrade takes effect at once. */
export function reconsiderDowngrade(current: Active, next: Downgrade, now: Temporal.Instant): PlanChange {
  if (!isUpgrade(current.plan, next.plan)) return { type: "unchanged" };
  return { type: "upgraded", ...takeUpgrade(current, next, now), canceled: cancel(next, now) };
}

function changePlan(
  request: SubscribeRequest,
  current: Active,
  next: Downgrade | null,
  now: Temporal.Instant,
): Result<PlanChange, Faults> {
  if (next !== null && isSamePlan(request, next)) return ok({ type: "unchanged" });
  const { plan, endingAt = current.endingAt } = request;
  const canceled = next && cancel(next, now);
  const atEnd = agreeAtEnd(plan, request.atEnd, current.atEnd);
  if (isUpgrade(current.plan, plan)) {
    return ok({ type: "upgraded", ...takeUpgrade(current, { plan, endingAt, atEnd }, now), canceled });
  }
  const period = periodsHolding(current, now).fee;
  const awaited: Downgrade = {
    ...termsOf(current),
    status: "pending",
    origin: "downgrade",
    plan,
    endingAt,
    atEnd,
    takesOverAt: period.to,
    takesOverOn: period.lastDay.add({ days: 1 }),
  };
  if (request.endingAt && !isAfterDay(request.endingAt, awaited.takesOverOn, current.timeZone))
    return fail({ ending_at: ["invalid_date"] });
  return ok({ type: "downgrade_awaited", next: awaited, canceled });
}

/** An overridden plan keeps the code of its parent, so a request for the parent's code means the current plan. */
const isSamePlan = ({ plan, isOverridden }: SubscribeRequest, held: Upcoming | Downgrade | Active): boolean =>
  !isOverridden && plan.code === held.plan.code;

const isUpgrade = (held: PlanFrame, requested: PlanFrame): boolean => yearlyAmount(requested) >= yearlyAmount(held);
