/**
 * What must be stored of a life, walked from its anchor by core/time alone, without anything of core/subscription or the
 * server; and whether a second computation without core finds the same periods.
 */
import {
  dayOf,
  type Period,
  periodAfter,
  periodAt,
  type Schedule,
  startOfDay,
} from "../../packages/core/src/time/index.ts";
import { oraclePeriods } from "../oracle/periods.ts";
import { BEGINS, type Life } from "./lives.ts";

/** Each row as a line of text, so that what is missing and what is too much can be told by comparing lines. */
export type Rows = {
  readonly periods: readonly string[];
  readonly bills: readonly string[];
  readonly dueRows: readonly string[];
  readonly messages: readonly string[];
  /** As the API shows it. */
  readonly shown: readonly string[];
};

type Window = { readonly from: Temporal.Instant; readonly to: Temporal.Instant };

/** `openedAt`: the moment of the clock at which the row was written. */
export const periodLine = (kind: string, { from, to, firstDay, lastDay }: Period, openedAt: Temporal.Instant): string =>
  `${kind} [${from}, ${to}) ${firstDay} to ${lastDay}, opened at ${openedAt}`;

/** `of`: with what it shares an invoice. */
export type BillFrame = { reason: string; at: Temporal.Instant; readyAt: Temporal.Instant; of: string };

export const billLine = ({ reason, at, readyAt, of }: BillFrame, fee: Window | null, charges: Window | null): string =>
  `${reason} at ${at}, ready at ${readyAt}, of the ${of}: fee ${windowText(fee)} charges ${windowText(charges)}`;

export const dueLine = (kind: string, at: Temporal.Instant, isDone: boolean): string =>
  `${kind} at ${at} ${isDone ? "done" : "open"}`;

/** Of one that waits: null everywhere. */
type Shown = { startedAt: string | null; from: string | null; lastSecond: string | null };

export const shownLine = (status: string, { startedAt, from, lastSecond }: Shown): string =>
  `${status} since ${startedAt}, now ${from} to ${lastSecond}`;

const windowText = (window: Window | null): string => (window === null ? "none" : `[${window.from}, ${window.to})`);

/** Everything up to and including an instant has happened. */
export function expectRows(life: Life, until: Temporal.Instant): { rows: Rows; oracleFaults: string[] } {
  const startedAt = life.subscriptionAt ?? BEGINS;
  const startDay = dayOf(startedAt, life.timeZone);
  const order = Temporal.PlainDate.compare(startDay, dayOf(BEGINS, life.timeZone));
  const waits = order > 0;
  if (waits && isBefore(until, startedAt)) {
    const dueRows = [dueLine("activation", startedAt, false)];
    const shown = [shownLine("pending", { startedAt: null, from: null, lastSecond: null })];
    return { rows: { periods: [], bills: [], dueRows, messages: [], shown }, oracleFaults: [] };
  }
  const isBackdated = order < 0;
  const walked = walkPeriods(life, startDay, isBackdated ? BEGINS : startedAt, until);
  const { fees, charges, oracleFaults } = walked;
  const ends = charges.map(({ to }) => dueLine("period_end", to, !isBefore(until, to)));
  const rows: Rows = {
    periods: [
      ...linesOf("fee", fees, waits ? startedAt : BEGINS),
      ...linesOf("charges", charges, waits ? startedAt : BEGINS),
    ],
    bills: expectBills({ life, startedAt, startDay, isBackdated }, fees, charges),
    dueRows: [...(waits ? [dueLine("activation", startedAt, true)] : []), ...ends],
    messages: ["subscription.started"],
    shown: [shownLine("active", { startedAt: startedAt.toString(), ...shownPeriod(charges) })],
  };
  return { rows, oracleFaults };
}

/** Each is opened where the one before ends. */
const linesOf = (kind: string, periods: readonly Period[], firstOpenedAt: Temporal.Instant): string[] =>
  periods.map((period, index) => periodLine(kind, period, periods[index - 1]?.to ?? firstOpenedAt));

function shownPeriod(charges: readonly Period[]): Pick<Shown, "from" | "lastSecond"> {
  const open = charges.at(-1);
  if (open === undefined) throw new Error("A subscription that has begun has a period.");
  return { from: open.from.toString(), lastSecond: open.to.subtract({ seconds: 1 }).toString() };
}

type Begun = { life: Life; startedAt: Temporal.Instant; startDay: Temporal.PlainDate; isBackdated: boolean };

/** Full periods, from the one that is open when the subscription begins to be billed to the one that is open at the end. */
function walkPeriods(life: Life, anchor: Temporal.PlainDate, from: Temporal.Instant, until: Temporal.Instant) {
  const { interval, billingTime, timeZone } = life;
  const schedule: Schedule = { interval, billingTime, anchor, timeZone };
  const fees = walk(schedule, from, until);
  const months = life.areChargesMonthly ? walk({ ...schedule, interval: "monthly" }, from, until) : null;
  const oracleFaults = [
    ...fees.flatMap((period) => differenceFromOracle(schedule, period)),
    ...(months ?? []).flatMap((period) => differenceFromOracle({ ...schedule, interval: "monthly" }, period)),
  ];
  return { fees, charges: months ?? fees, oracleFaults };
}

function walk(schedule: Schedule, from: Temporal.Instant, until: Temporal.Instant): Period[] {
  const periods = [periodAt(schedule, from)];
  for (let last = periods[0]; last !== undefined && !isBefore(until, last.to); last = periods.at(-1))
    periods.push(periodAfter(schedule, last));
  return periods;
}

function differenceFromOracle(schedule: Schedule, period: Period): string[] {
  const found = oraclePeriods({ ...schedule, anchor: schedule.anchor.toString(), at: period.from.toString() });
  const isSame =
    found.from === period.from.toString() &&
    found.to === period.to.toString() &&
    found.firstDay === period.firstDay.toString() &&
    found.lastDay === period.lastDay.toString();
  return isSame
    ? []
    : [`${periodLine(schedule.interval, period, period.from)}, by the oracle ${JSON.stringify(found)}`];
}

/** Without trial, end and change of plan, there is a bill at the start of what is paid in advance, and one at each end of a charges period. */
function expectBills({ life, startedAt, startDay, isBackdated }: Begun, fees: Period[], charges: Period[]): string[] {
  const feeWindow = ({ from, to, firstDay }: Period): Window => ({
    from: Temporal.PlainDate.compare(firstDay, startDay) < 0 ? startOfDay(startDay, life.timeZone) : from,
    to,
  });
  const [first] = fees;
  const hasStartingBill = life.isPaidInAdvance && !isBackdated && first !== undefined;
  const starting = hasStartingBill
    ? [billLine(frame("starting", startedAt, "subscription"), feeWindow(first), null)]
    : [];
  const periodic = charges.slice(0, -1).map(({ from, to }) => {
    const ended = fees.findIndex((fee) => fee.to.equals(to));
    const paid = ended < 0 ? undefined : fees[life.isPaidInAdvance ? ended + 1 : ended];
    const usage = { from: isBefore(from, startedAt) ? startedAt : from, to };
    return billLine(frame("periodic", to, "customer"), paid ? feeWindow(paid) : null, usage);
  });
  return [...starting, ...periodic];
}

/** On a test clock nothing waits for late usage. */
const frame = (reason: string, at: Temporal.Instant, of: string): BillFrame => ({ reason, at, readyAt: at, of });

const isBefore = (one: Temporal.Instant, other: Temporal.Instant): boolean => Temporal.Instant.compare(one, other) < 0;
