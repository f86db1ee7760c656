/**
 * A plan change and the recurring metrics that both plans charge: every local day of such a metric is billed once, by one of the two
 * charges. This module decides which one, from local days alone.
 */
import { type Charge, isRecurring } from "../catalog/index.ts";
import type { Period } from "../time/index.ts";
import type {
  Accepted,
  BilledBefore,
  ChargePart,
  ChargeParts,
  Days,
  Paid,
  ReturnedDays,
  Takeover,
} from "./charge-parts.ts";
import { isAfterDay, isBefore, laterDay, laterInstant } from "./order.ts";
import type { Active, Terminated } from "./subscription.ts";

export type PlanChange = {
  /** Charges in arrears of the old plan, on its last bill. */
  readonly closing: ChargeParts;
  readonly returned: readonly ReturnedDays[];
  readonly takeover: Takeover;
};

type Side<State> = { readonly subscription: State; readonly charges: readonly Charge[] };

/** What covers the metric once the old charge is closed. */
type Closed = {
  /** undefined: billed normally. */
  readonly part?: ChargePart | undefined;
  /** The last day that is billed, by the old charge or earlier. */
  readonly coveredTo: Temporal.PlainDate;
  /** Those days were paid in advance. */
  readonly paid?: Paid | undefined;
  /** A new charge in arrears bills the units beyond that. */
  readonly isBeyondPaid?: boolean;
  readonly returned?: Days | undefined;
};

type LeftOut = Extract<ChargePart, { type: "left_out" }>;

type PaidAhead = Pick<BilledBefore, "isProrated" | "lastDay" | "from" | "to" | "paidAfter" | "paidUpTo">;

type Change = {
  readonly old: Terminated;
  readonly next: Active;
  /** The first day of the new plan. */
  readonly day: Temporal.PlainDate;
  readonly acceptedBefore: Accepted | null;
};

/**
 * `old` ended where `next` began, and its open charges period is the one it ended in. `acceptedBefore`: null if there was no event at that
 * exact instant.
 */
export function changePlan(
  old: Side<Terminated>,
  next: Side<Active>,
  acceptedBefore: Accepted | null = null,
): PlanChange {
  const day = next.subscription.startDay;
  const change: Change = { old: old.subscription, next: next.subscription, day, acceptedBefore };
  const [before, after] = [recurringOf(old.charges), recurringOf(next.charges)];
  const closed = before.flatMap((charge) => {
    const other = counterpartOf(charge, before, after);
    return other ? [{ charge, closed: close(change, charge, other) }] : [];
  });
  const resumed = resumedCharges(change, before, after);
  const opened = after.flatMap((charge) => {
    const other = counterpartOf(charge, after, before);
    const again = resumed.find((one) => one.charge === charge)?.closed;
    const part = other ? open(change, charge, close(change, other, charge)) : openAlone(change, charge, again);
    return part ? [{ charge, part }] : [];
  });
  const partsOf = (timing: Charge["timing"]["type"]): ChargeParts =>
    Object.fromEntries(
      opened.filter(({ charge }) => charge.timing.type === timing).map(({ charge, part }) => [charge.id, part]),
    );
  return {
    closing: Object.fromEntries(closed.flatMap(({ charge, closed: { part } }) => (part ? [[charge.id, part]] : []))),
    returned: [...closed.map((one) => ({ ...one, chargeId: one.charge.id })), ...resumed].flatMap(
      ({ charge: { metric }, chargeId, closed: { returned } }) =>
        returned ? [{ ...returned, chargeId, metricCode: metric.code }] : [],
    ),
    takeover: {
      lastDay: next.subscription.open.charges.lastDay,
      atOnce: partsOf("in_advance"),
      atClose: partsOf("arrears"),
      billedBefore: billedBefore(change, before).filter(({ metricCode }) => !isCharged(after, metricCode)),
      ...(acceptedBefore ? { acceptedBefore } : {}),
    },
  };
}

/** What the first closing bill of a subscription that replaced another one needs; nothing once that period is over. */
export function partsAtClose({ takeover, open }: Pick<Active, "takeover" | "open">): ChargeParts {
  return takeover?.lastDay.equals(open.charges.lastDay) ? takeover.atClose : {};
}

/** A weighted sum counts the seconds of each plan separately, whatever follows. */
const recurringOf = (charges: readonly Charge[]): readonly Charge[] =>
  charges.filter(({ metric: { aggregation } }) => isRecurring(aggregation) && aggregation.type !== "weighted_sum");

/** The charge of the other plan on the same metric. If there are several, the one with the same timing, in the order of the plans. */
function counterpartOf(charge: Charge, own: readonly Charge[], others: readonly Charge[]): Charge | undefined {
  const onMetric = (charges: readonly Charge[]) => charges.filter(({ metric }) => metric.code === charge.metric.code);
  const isAlike = ({ timing }: Charge) => timing.type === charge.timing.type;
  const place = onMetric(own).filter(isAlike).indexOf(charge);
  const candidates = onMetric(others);
  return candidates.filter(isAlike)[place] ?? candidates.find(isAlike) ?? candidates[0];
}

function close(change: Change, charge: Charge, other: Charge): Closed {
  const { old, day } = change;
  // A downgrade replaces the old plan where its period ends.
  if (isAfterDay(day, old.open.charges.lastDay)) return { coveredTo: dayBefore(day) };
  return charge.timing.type === "in_advance"
    ? closePaid(change, paidAhead(change, charge), other)
    : closeInArrears(change, charge, other);
}

/** Its open period was paid when it began, or when the subscription took over. */
const paidAhead = ({ old, acceptedBefore }: Change, charge: Charge): PaidAhead => ({
  isProrated: charge.isProrated,
  lastDay: old.open.charges.lastDay,
  ...paidSince(old, charge),
  to: old.terminatedAt,
  ...(acceptedBefore ? { paidUpTo: acceptedBefore } : {}),
});

const paidOf = ({ from, to, paidAfter, paidUpTo }: Omit<PaidAhead, "isProrated" | "lastDay">): Paid => ({
  paidFrom: from,
  paidTo: to,
  ...(paidAfter ? { paidAfter } : {}),
  ...(paidUpTo ? { paidUpTo } : {}),
});

function closePaid({ next, day }: Change, ahead: PaidAhead, other: Charge): Closed {
  const { isProrated, lastDay } = ahead;
  const paid = paidOf(ahead);
  const returned = daysBeyond(lastDay, next.open.charges.lastDay);
  if (other.timing.type === "in_advance") return { coveredTo: lastDay, paid, returned };
  if (isProrated) return { coveredTo: dayBefore(day), returned: { firstDay: day, lastDay } };
  if (isAfterDay(next.open.charges.lastDay, lastDay)) return { coveredTo: lastDay };
  return { coveredTo: lastDay, paid, isBeyondPaid: true, returned };
}

/** Paid days after the last day of the new plan's period. */
const daysBeyond = (paidTo: Temporal.PlainDate, lastDay: Temporal.PlainDate): Days | undefined =>
  isAfterDay(paidTo, lastDay) ? { firstDay: lastDay.add({ days: 1 }), lastDay: paidTo } : undefined;

/** A subscription that took over a paid period continues with what was paid before it. */
function paidSince({ takeover, open, startedAt }: Terminated, { id }: Charge): Pick<PaidAhead, "from" | "paidAfter"> {
  const part = takeover?.lastDay.equals(open.charges.lastDay) ? takeover.atOnce[id] : undefined;
  if (part?.type === "left_out" && part.paidFrom !== null)
    return { from: part.paidFrom, ...(part.paidAfter ? { paidAfter: part.paidAfter } : {}) };
  const from = laterInstant(startedAt, open.charges.from);
  const isTakenOver = from.equals(startedAt) && takeover?.acceptedBefore;
  return { from, ...(isTakenOver ? { paidAfter: isTakenOver } : {}) };
}

function closeInArrears(change: Change, charge: Charge, other: Charge): Closed {
  const { old, next, day } = change;
  const [own, theirs] = [old.open.charges, next.open.charges];
  const before = dayBefore(day);
  const inherited = partsAtClose(old)[charge.id];
  const isTaken = isSamePeriod(own, theirs) && other.timing.type === "arrears" && !other.isProrated;
  const isEmpty = !isBefore(laterInstant(own.from, old.startedAt), old.terminatedAt);
  if (inherited?.type === "left_out")
    return { ...stillPaid(change, inherited), part: inherited, coveredTo: own.lastDay };
  if (inherited?.type === "beyond_paid") {
    const { type: _, ...paid } = inherited;
    const covered = { coveredTo: own.lastDay, paid, returned: daysBeyond(own.lastDay, theirs.lastDay) };
    if (isTaken || isEmpty) return { ...covered, part: LEFT_OUT, isBeyondPaid: true };
    return { ...covered, part: inherited };
  }
  const firstDay = firstDayOf(old, inherited);
  // An earlier plan may already have billed days after the change.
  const coveredTo = inherited?.type === "days" ? laterDay(before, dayBefore(firstDay)) : before;
  // The day of the change belongs to the new plan: a period that begins on it leaves nothing for the old one.
  if (!isAfterDay(day, own.firstDay)) return { part: LEFT_OUT, coveredTo };
  if (charge.isProrated) return { part: inherited && daysPart(firstDay, before), coveredTo };
  // The new charge bills what this one would have billed at the end of its period. A charge that never had a usage window bills nothing.
  if (isTaken || isEmpty) return { part: LEFT_OUT, coveredTo: dayBefore(inherited ? firstDay : own.firstDay) };
  if (isCovering(own, theirs, other)) return { part: inherited ?? { type: "whole" }, coveredTo: own.lastDay };
  return { part: daysPart(firstDay, before), coveredTo };
}

/** An earlier plan was paid for the days that were left out: they stay paid, and those after the period of the new plan are returned. */
function stillPaid({ old, next }: Change, part: LeftOut): Pick<Closed, "paid" | "returned"> {
  const { paidFrom, paidAfter } = part;
  if (paidFrom === null) return {};
  return {
    paid: { paidFrom, paidTo: old.terminatedAt, ...(paidAfter ? { paidAfter } : {}) },
    returned: daysBeyond(old.open.charges.lastDay, next.open.charges.lastDay),
  };
}

/** The first day of its open period that a charge in arrears bills. */
function firstDayOf({ open, startDay }: Terminated, inherited: ChargePart | undefined): Temporal.PlainDate {
  const { firstDay } = open.charges;
  if (inherited?.type === "whole") return firstDay;
  return inherited?.type === "days" ? inherited.firstDay : laterDay(firstDay, startDay);
}

/** A whole charge covers its period, unless the new charge weighs the same days itself or its period ends earlier. */
function isCovering(own: Period, theirs: Period, other: Charge): boolean {
  if (isAfterDay(own.lastDay, theirs.lastDay)) return false;
  return other.timing.type === "in_advance" || isAfterDay(theirs.lastDay, own.lastDay);
}

const LEFT_OUT: ChargePart = { type: "left_out", paidFrom: null };

const dayBefore = (day: Temporal.PlainDate): Temporal.PlainDate => day.subtract({ days: 1 });

const daysPart = (firstDay: Temporal.PlainDate, lastDay: Temporal.PlainDate): ChargePart =>
  isAfterDay(firstDay, lastDay) ? LEFT_OUT : { type: "days", firstDay, lastDay };

const isSamePeriod = (one: Period, other: Period): boolean =>
  one.firstDay.equals(other.firstDay) && one.lastDay.equals(other.lastDay);

/** The days of the new period that nothing covers, from the first of them on. */
function open(
  { next, day }: Change,
  charge: Charge,
  { coveredTo, paid, isBeyondPaid }: Closed,
): ChargePart | undefined {
  const period = next.open.charges;
  const isInAdvance = charge.timing.type === "in_advance";
  if (isBeyondPaid && paid && !isInAdvance) return { type: "beyond_paid", ...paid };
  const firstDay = laterDay(coveredTo.add({ days: 1 }), period.firstDay);
  if (isAfterDay(firstDay, period.lastDay)) {
    const after = paid?.paidAfter ? { paidAfter: paid.paidAfter } : {};
    return { type: "left_out", paidFrom: paid?.paidFrom ?? null, ...after };
  }
  // Billed normally: the days from the change on.
  if (!isInAdvance && charge.isProrated && firstDay.equals(day)) return undefined;
  const isWhole = firstDay.equals(period.firstDay) && (isInAdvance || !charge.isProrated);
  return isWhole ? { type: "whole" } : { type: "days", firstDay, lastDay: period.lastDay };
}

/** A metric that the old plan did not charge: a downgrade renews it, an upgrade waits for a renewal. */
function openAlone(change: Change, charge: Charge, again: Closed | undefined): ChargePart | undefined {
  if (again) return open(change, charge, again);
  if (change.next.origin !== "downgrade" || charge.timing.type !== "in_advance") return undefined;
  return open(change, charge, { coveredTo: dayBefore(change.day) });
}

const isCharged = (charges: readonly Charge[], metricCode: string): boolean =>
  charges.some(({ metric }) => metric.code === metricCode);

/** Days billed by the old plan, and by earlier plans for metrics that the old plan does not charge; for each metric the latest. */
function billedBefore(change: Change, before: readonly Charge[]): BilledBefore[] {
  const { old } = change;
  const earlier = (old.takeover?.billedBefore ?? []).filter(({ metricCode }) => !isCharged(before, metricCode));
  const own = before.flatMap((charge) => billedBy(change, charge) ?? []);
  const latest = new Map<string, BilledBefore>();
  for (const one of [...earlier, ...own]) {
    const other = latest.get(one.metricCode);
    if (!other || isAfterDay(one.lastDay, other.lastDay)) latest.set(one.metricCode, one);
  }
  return [...latest.values()];
}

/** What a charge without a counterpart bills, as at a termination. */
function billedBy(change: Change, charge: Charge): BilledBefore | undefined {
  const { old, day, acceptedBefore } = change;
  const { from, firstDay, lastDay } = old.open.charges;
  const named = { metricCode: charge.metric.code, chargeId: charge.id };
  if (charge.timing.type === "in_advance") return { ...named, ...paidAhead(change, charge), isInAdvance: true };
  const since = laterInstant(from, old.startedAt);
  const { isProrated } = charge;
  const inherited = partsAtClose(old)[charge.id];
  const isOwnDays = isProrated && (inherited === undefined || inherited.type === "whole");
  const billed = { isProrated, lastDay: isOwnDays ? dayBefore(day) : lastDay, from: since, to: old.terminatedAt };
  // If it ends as a period begins, the periods before it are already billed.
  if (!isBefore(since, old.terminatedAt))
    return isAfterDay(firstDay, old.startDay)
      ? { ...named, ...billed, lastDay: dayBefore(firstDay), isInAdvance: false }
      : undefined;
  const paidFrom = inherited && "paidFrom" in inherited ? inherited.paidFrom : null;
  const after = inherited && "paidAfter" in inherited ? { paidAfter: inherited.paidAfter } : {};
  const upTo = acceptedBefore ? { paidUpTo: acceptedBefore } : {};
  return { ...named, ...billed, from: paidFrom ?? since, ...after, ...upTo, isInAdvance: false };
}

type Resumed = { readonly charge: Charge; readonly chargeId: string; readonly closed: Closed };

/** Charges on metrics that the old plan did not charge, but an earlier plan did. */
function resumedCharges(change: Change, before: readonly Charge[], after: readonly Charge[]): Resumed[] {
  const { old, next, day } = change;
  return (old.takeover?.billedBefore ?? []).flatMap((billed) => {
    if (isCharged(before, billed.metricCode)) return [];
    const onMetric = after.filter(({ metric }) => metric.code === billed.metricCode);
    return onMetric.flatMap((charge, index) => {
      const since = charge.timing.type === "in_advance" ? day : next.open.charges.firstDay;
      if (isAfterDay(since, billed.lastDay)) return [];
      const closed = closeBilled(change, billed, charge);
      // Days are returned once, whichever charges bill the metric now.
      return [{ charge, chargeId: billed.chargeId, closed: index === 0 ? closed : { ...closed, returned: undefined } }];
    });
  });
}

function closeBilled(change: Change, billed: BilledBefore, other: Charge): Closed {
  const { lastDay } = billed;
  if (billed.isInAdvance) return closePaid(change, billed, other);
  const isBeyondPaid = !isAfterDay(change.next.open.charges.lastDay, lastDay);
  const isWeighed = other.isProrated && other.timing.type === "arrears";
  return {
    coveredTo: isWeighed ? laterDay(lastDay, dayBefore(change.day)) : lastDay,
    paid: paidOf(billed),
    isBeyondPaid,
  };
}
