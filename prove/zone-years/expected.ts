/**
 * What must be stored of a life, walked from its anchor by core/time alone, without anything of core/subscription or the
 * server; and whether a second computation without core finds the same periods.
 */

import { oracleSubscriptionFee } from "@tallystick/second-opinion/subscription";
import {
  dayOf,
  type Period,
  periodAfter,
  periodAt,
  type Schedule,
  startOfDay,
} from "../../packages/core/src/time/index.ts";
import { oraclePeriods } from "../oracle/periods.ts";
import { BEGINS, type Life, PLAN_CENTS } from "./lives.ts";

/** Each row as a line of text, so that what is missing and what is too much can be told by comparing lines. */
export type Rows = {
  readonly periods: readonly string[];
  readonly bills: readonly string[];
  /** What each bill came to on its invoice. */
  readonly invoices: readonly string[];
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

export type Billed = {
  reason: string;
  at: Temporal.Instant;
  status: string;
  issuedOn: Temporal.PlainDate;
  fee: Window | null;
  cents: bigint;
  calls: bigint;
};

export const invoiceLine = ({ reason, at, status, issuedOn, fee, cents, calls }: Billed): string =>
  `${reason} at ${at}: ${status}, issued on ${issuedOn}, fee ${windowText(fee)} ${cents}, ${calls} calls`;

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
    return { rows: { periods: [], bills: [], invoices: [], dueRows, messages: [], shown }, oracleFaults: [] };
  }
  const isBackdated = order < 0;
  const walked = walkPeriods(life, startDay, isBackdated ? BEGINS : startedAt, until);
  const { fees, charges, oracleFaults } = walked;
  const bills = expectBills({ life, startedAt, startDay, isBackdated }, fees, charges);
  const calls = callsOf(life, until);
  const ends = charges.map(({ to }) => dueLine("period_end", to, !isBefore(until, to)));
  const rows: Rows = {
    periods: [
      ...linesOf("fee", fees, waits ? startedAt : BEGINS),
      ...linesOf("charges", charges, waits ? startedAt : BEGINS),
    ],
    bills: bills.map(({ reason, at, of, fee, usage }) => billLine(frame(reason, at, of), fee, usage)),
    invoices: bills.map((bill) => expectInvoice(life, bill, calls)),
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
  const schedule = scheduleOf(life, anchor);
  const fees = walk(schedule, from, until);
  const months = life.areChargesMonthly ? walk({ ...schedule, interval: "monthly" }, from, until) : null;
  const oracleFaults = [
    ...fees.flatMap((period) => differenceFromOracle(schedule, period)),
    ...(months ?? []).flatMap((period) => differenceFromOracle({ ...schedule, interval: "monthly" }, period)),
  ];
  return { fees, charges: months ?? fees, oracleFaults };
}

const scheduleOf = ({ interval, billingTime, timeZone }: Life, anchor: Temporal.PlainDate): Schedule => ({
  interval,
  billingTime,
  anchor,
  timeZone,
});

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

type FeeWindow = Window & { readonly days: number; readonly periodDays: number };
type ExpectedBill = {
  reason: "starting" | "periodic";
  at: Temporal.Instant;
  of: "subscription" | "customer";
  fee: FeeWindow | null;
  usage: Window | null;
};

/** Without trial, end and change of plan, there is a bill at the start of what is paid in advance, and one at each end of a charges period. */
function expectBills({ life, startedAt, startDay, isBackdated }: Begun, fees: Period[], charges: Period[]) {
  const feeWindow = ({ from, to, firstDay, lastDay }: Period): FeeWindow => {
    const isCut = Temporal.PlainDate.compare(firstDay, startDay) < 0;
    return {
      from: isCut ? startOfDay(startDay, life.timeZone) : from,
      to,
      days: daysFrom(isCut ? startDay : firstDay, lastDay),
      periodDays: daysFrom(firstDay, lastDay),
    };
  };
  const [first] = fees;
  const bills: ExpectedBill[] = [];
  if (life.isPaidInAdvance && !isBackdated && first !== undefined)
    bills.push({ reason: "starting", at: startedAt, of: "subscription", fee: feeWindow(first), usage: null });
  for (const { from, to } of charges.slice(0, -1)) {
    const ended = fees.findIndex((fee) => fee.to.equals(to));
    const paid = ended < 0 ? undefined : fees[life.isPaidInAdvance ? ended + 1 : ended];
    const usage = { from: isBefore(from, startedAt) ? startedAt : from, to };
    bills.push({ reason: "periodic", at: to, of: "customer", fee: paid ? feeWindow(paid) : null, usage });
  }
  return bills;
}

const daysFrom = (first: Temporal.PlainDate, last: Temporal.PlainDate): number => first.until(last).days + 1;

/** Finalized at once, on the local day of its instant; the fee by the day, and every call in the window that it is in. */
function expectInvoice(
  { timeZone }: Life,
  { reason, at, fee, usage }: ExpectedBill,
  calls: readonly Temporal.Instant[],
): string {
  const isBilled = (call: Temporal.Instant): boolean =>
    usage !== null && !isBefore(call, usage.from) && isBefore(call, usage.to);
  return invoiceLine({
    reason,
    at,
    status: "finalized",
    issuedOn: dayOf(at, timeZone),
    fee,
    cents: fee === null ? 0n : oracleSubscriptionFee({ ...fee, cents: String(PLAN_CENTS) }),
    calls: BigInt(calls.filter(isBilled).length),
  });
}

/** The calls of a life up to an instant: at every edge of the windows of its usage, and a microsecond before. */
export function callsOf(life: Life, until: Temporal.Instant): Temporal.Instant[] {
  const startedAt = life.subscriptionAt ?? BEGINS;
  const startDay = dayOf(startedAt, life.timeZone);
  if (isBefore(until, startedAt) && Temporal.PlainDate.compare(startDay, dayOf(BEGINS, life.timeZone)) > 0) return [];
  const isBackdated = Temporal.PlainDate.compare(startDay, dayOf(BEGINS, life.timeZone)) < 0;
  const schedule = scheduleOf(life, startDay);
  const interval = life.areChargesMonthly ? "monthly" : life.interval;
  const charges = walk({ ...schedule, interval }, isBackdated ? BEGINS : startedAt, until);
  const [first] = charges;
  const edges = [
    ...(first === undefined ? [] : [isBefore(first.from, startedAt) ? startedAt : first.from]),
    ...charges.slice(0, -1).map(({ to }) => to),
  ];
  return edges.flatMap((edge) => [edge.subtract({ microseconds: 1 }), edge]);
}

/** On a test clock nothing waits for late usage. */
const frame = (reason: string, at: Temporal.Instant, of: string): BillFrame => ({ reason, at, readyAt: at, of });

const isBefore = (one: Temporal.Instant, other: Temporal.Instant): boolean => Temporal.Instant.compare(one, other) < 0;
