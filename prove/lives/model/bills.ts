/** The bills of a subscription, each as a line of text, worked out from when it began and ended and from its periods. */
import {
  addDays,
  addSeconds,
  countDays,
  type Day,
  dayAt,
  earlierOf,
  type Instant,
  laterOf,
  midnight,
  type Period,
} from "./calendar.ts";
import { isReached, type Periods, periodsOf } from "./periods.ts";
import type { Life, World } from "./world.ts";
import { isEndUnbilled, nowOf, zoneAt } from "./world.ts";

export type Window = { from: Instant; to: Instant; firstDay: Day; lastDay: Day; periodDays: number; freeDays?: number };

export type Bill = {
  reason: "starting" | "periodic" | "trial_end" | "terminating";
  at: Instant;
  key: "customer" | Life;
  fee?: Window | null;
  charges?: Window | null;
  renewal?: Window | null;
  commitment?: Window | null;
};

/** A begun subscription at a bill: `zone` decides on days, `end` is there on the bill of the end. */
type Billed = { life: Life; begun: NonNullable<Life["begun"]>; zone: string; end: Life["end"] };

export function billsOf(world: World, life: Life): Bill[] {
  const { begun } = life;
  if (!begun) return [];
  const periods = periodsOf(world, life, nowOf(world, life.customer));
  const billed: Billed = { life, begun, zone: begun.zone, end: null };
  return [
    ...startingBill(billed, periods),
    ...periodicBills(billed, periods),
    ...trialEndBill(world, billed, periods),
    ...terminatingBill(billed, periods),
  ];
}

/** What is paid in advance, unless a trial is on or the start is backdated; a downgrade begins a period, which is renewed. */
function startingBill(billed: Billed, { fee: [year], charges: [month] }: Periods): Bill[] {
  const { life, begun } = billed;
  if (!year || !month) return [];
  const isPaid = life.plan.isInAdvance && life.origin !== "backdated" && (!begun.trial || begun.trial.wasOver);
  const fee = isPaid ? feeWindow(billed, year) : null;
  const renewal = life.origin === "downgrade" ? usageWindow(billed, month) : null;
  const key = life.previous ?? life;
  return fee || renewal ? [{ reason: "starting", at: begun.decidedAt, key, fee, renewal }] : [];
}

/** At the end of every charges period but the one that is open or was open at the end. */
function periodicBills(billed: Billed, { fee, charges }: Periods): Bill[] {
  const { life, begun } = billed;
  return charges.slice(0, -1).map((month, index) => {
    const at = month.to;
    const here = { ...billed, zone: zoneAt(life, at) };
    const yearIndex = fee.findIndex((year) => year.to === at);
    const [year, nextYear, nextMonth] = [fee[yearIndex], fee[yearIndex + 1], charges[index + 1]];
    const isInTrial = begun.trial !== null && begun.trial.endsAt > at;
    const paid = life.plan.isInAdvance ? (isInTrial ? undefined : nextYear) : year;
    return {
      reason: "periodic",
      at,
      key: "customer",
      fee: year && paid ? feeWindow(here, paid) : null,
      charges: usageWindow(here, month),
      renewal: nextMonth ? usageWindow(here, nextMonth) : null,
      commitment: year ? spanIn(here, year) : null,
    };
  });
}

/** The first fee paid in advance, unless a period begins just then: its bill has the fee. */
function trialEndBill(world: World, billed: Billed, { fee }: Periods): Bill[] {
  const { life, begun } = billed;
  const { trial } = begun;
  if (!life.plan.isInAdvance || !trial || trial.wasOver) return [];
  if (!isReached(world, life, trial.endsAt, nowOf(world, life.customer))) return [];
  const at = trial.endsAt;
  const open = fee.findLast((year) => year.from <= at);
  if (!open || open.from === at) return [];
  return [{ reason: "trial_end", at, key: life, fee: feeWindow({ ...billed, zone: zoneAt(life, at) }, open) }];
}

/** What the open periods have come to, if the end is billed. */
function terminatingBill(billed: Billed, { fee, charges }: Periods): Bill[] {
  const { life, begun } = billed;
  const [year, month, { end }] = [fee.at(-1), charges.at(-1), life];
  if (!end || !year || !month || isEndUnbilled(life)) return [];
  const here = { ...billed, end, zone: life.moves.at(-1)?.zone ?? begun.zone };
  return [
    {
      reason: "terminating",
      at: end.at,
      key: life,
      fee: life.plan.isInAdvance ? null : feeWindow(here, year),
      charges: usageWindow(here, month),
      commitment: spanIn(here, year),
    },
  ];
}

/**
 * From the midnight of the first day that counts to the end; null if no day does. After a move to another zone that midnight may
 * lie behind the start, and even behind the end: it does not count then.
 */
function spanIn(billed: Billed, period: Period): Window | null {
  const { begun, zone } = billed;
  const days = daysIn(billed, period);
  if (days.lastDay < days.firstDay) return null;
  const to = endIn(billed, period);
  const isWhole = days.firstDay === period.firstDay;
  const from = isWhole ? period.from : earlierOf(midnight(begun.startDay, zone), earlierOf(begun.at, to));
  return { from, to, ...days };
}

function feeWindow(billed: Billed, period: Period): Window | null {
  const span = spanIn(billed, period);
  return span && { ...span, freeDays: freeDays(billed, span) };
}

/** From the very start to the very end; null if nothing lies between. */
function usageWindow(billed: Billed, period: Period): Window | null {
  const [from, to] = [laterOf(period.from, billed.begun.at), endIn(billed, period)];
  return from < to ? { from, to, ...daysIn(billed, period) } : null;
}

const endIn = ({ end }: Billed, period: Period): Instant => (end ? earlierOf(end.at, period.to) : period.to);

/** The day of an end belongs to what ends, the day of an upgrade to what follows. */
function daysIn({ begun, zone, end }: Billed, period: Period): Pick<Window, "firstDay" | "lastDay" | "periodDays"> {
  const firstDay = laterOf(period.firstDay, begun.startDay);
  const periodDays = countDays(period.firstDay, period.lastDay);
  if (!end || end.at >= period.to) return { firstDay, lastDay: period.lastDay, periodDays };
  const day = earlierOf(laterOf(dayAt(end.at, zone), firstDay), period.lastDay);
  return { firstDay, lastDay: end.cause === "upgraded" ? addDays(day, -1) : day, periodDays };
}

/** Days before the one on which the trial ends, or all if it outlasts the window. */
function freeDays({ begun, zone }: Billed, { firstDay, lastDay, to }: Window): number {
  if (!begun.trial) return 0;
  const { endsAt } = begun.trial;
  if (endsAt >= to) return countDays(firstDay, lastDay);
  return countDays(firstDay, earlierOf(lastDay, addDays(dayAt(endsAt, zone), -1)));
}

/** All of a bill in one line; `nameOf` names who is in its invoice key. */
export function describeBill(world: World, life: Life, bill: Bill, nameOf: (key: Bill["key"]) => string): string {
  const waits = !life.customer.isOnTestClock && (bill.reason === "periodic" || bill.reason === "terminating");
  const readyAt = waits ? addSeconds(bill.at, world.settleSeconds) : bill.at;
  return describeStoredBill({ ...bill, key: nameOf(bill.key), readyAt });
}

type StoredBill = Omit<Bill, "reason" | "key"> & { reason: string; key: string; readyAt: Instant };

export const describeStoredBill = ({
  reason,
  at,
  key,
  readyAt,
  fee,
  charges,
  renewal,
  commitment,
}: StoredBill): string =>
  [
    `${reason} at ${at}, ready ${readyAt}, key ${key}`,
    ...Object.entries({ fee, charges, renewal, commitment }).map(
      ([name, window]) => `${name} ${describeWindow(window)}`,
    ),
  ].join("; ");

const describeWindow = (window: Window | null | undefined): string =>
  window
    ? `${window.from} to ${window.to}, ${window.firstDay} to ${window.lastDay} of ${window.periodDays}${
        window.freeDays === undefined ? "" : `, ${window.freeDays} free`
      }`
    : "none";
