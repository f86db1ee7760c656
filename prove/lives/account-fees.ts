/**
 * Every day of a life is billed once, by the plan that holds it, net of what came back: subscription fees worked out from dates alone.
 */

import {
  type Day,
  type Instant,
  instantOf,
  isoOfDay,
  localDay,
  type Period,
  periodOf,
  roundedQuotient,
  startOfDay,
} from "./days.ts";
import { demand } from "./demand.ts";
import type { Fee, Invoice, Subscription } from "./documents.ts";
import { SWITCHES } from "./switches.ts";
import { anchorOf, termsInForce, versionsOf } from "./terms.ts";
import type { World } from "./world.ts";

/** A subscription with the days that it holds; `end` is not one of them. */
export type Held = {
  readonly subscription: Subscription;
  readonly startedAt: Instant;
  readonly endedAt: Instant | undefined;
  readonly first: Day;
  readonly end: Day | undefined;
  /** Another one goes on where it ended. */
  readonly isSucceeded: boolean;
  /** It ended at the very beginning of a day: whether that day counts depends on what else happened then. */
  readonly endsAtMidnight: boolean;
};

export function heldOnes(world: World): Held[] {
  const started = world.documents.subscriptions.filter(({ started_at: at }) => at !== null);
  return started.map((subscription) => {
    const startedAt = instantOf(subscription.started_at ?? "");
    const endedAt = subscription.terminated_at === null ? undefined : instantOf(subscription.terminated_at);
    const isSucceeded = started.some(
      (other) =>
        other.svc_id !== subscription.svc_id &&
        other.previous_plan_code !== null &&
        endedAt === instantOf(other.started_at ?? ""),
    );
    const endDay = endedAt === undefined ? undefined : localDay(endedAt, world.zone);
    return {
      subscription,
      startedAt,
      endedAt,
      first: localDay(startedAt, world.zone),
      end: endDay === undefined || isSucceeded ? endDay : endDay + 1,
      isSucceeded,
      endsAtMidnight: endDay !== undefined && startOfDay(endDay, world.zone) === endedAt,
    };
  });
}

type Billed = { readonly fee: Fee; readonly invoice: Invoice };

const billedOnes = (world: World, type: string): Billed[] =>
  world.documents.invoices.flatMap((invoice) =>
    invoice.fees.filter((fee) => fee.item.type === type).map((fee) => ({ fee, invoice })),
  );

export function checkSubscriptionFees(world: World): void {
  const held = heldOnes(world);
  const billed = billedOnes(world, "subscription");
  const firstStart = Math.min(...held.map(({ startedAt }) => startedAt));
  for (const one of held) {
    const own = billed.filter(({ fee }) => fee.svc_subscription_id === one.subscription.svc_id);
    checkOne(world, one, { own, firstStart });
  }
}

type Known = { own: readonly Billed[]; firstStart: Instant };

function checkOne(world: World, held: Held, { own, firstStart }: Known): void {
  const { subscription, first } = held;
  const anchor = anchorOf(world, subscription);
  const { isInAdvance, trialDays } = termsInForce(world, subscription.plan_code, world.now)[0] ?? {
    isInAdvance: false,
    trialDays: 0,
  };
  const today = localDay(world.now, world.zone);
  const trialEnd = trialDays === 0 ? first : localDay(firstStart + trialDays * 86_400, world.zone);
  const isTrialOver = firstStart + trialDays * 86_400 <= (held.endedAt ?? world.now);
  for (
    let period = periodOf(anchor, first);
    period.first <= today && period.first < (held.end ?? today + 1);
    period = periodOf(anchor, period.end)
  ) {
    const isClosed = period.end <= today || held.end !== undefined;
    const inPeriod = own.filter(({ fee }) => isIn(world, fee, period));
    const from = Math.max(period.first, first, trialEnd);
    if (isInAdvance) checkInAdvance(world, held, { period, from, inPeriod, isBegun: isTrialOver });
    else if (isClosed) checkInArrears(world, held, { period, from, inPeriod });
    else demand("feeTooEarly", inPeriod.length === 0, () => ({ subscription, inPeriod }));
  }
}

function isIn(world: World, fee: Fee, { first, end }: Period): boolean {
  const day = localDay(instantOf(fee.from_date ?? ""), world.zone);
  return day >= first && day < end;
}

type Window = { period: Period; from: Day; inPeriod: readonly Billed[]; isBegun?: boolean };

const amountsFor = (
  world: World,
  code: string,
  { at, days, length }: { at: Instant; days: number; length: number },
): number[] =>
  (SWITCHES.draftsKeepTheirPrices
    ? termsInForce(world, code, at)
    : versionsOf(world, code).map(({ terms }) => terms)
  ).map(({ amount }) => roundedQuotient(BigInt(amount) * BigInt(Math.max(0, days)), BigInt(length)));

function checkInArrears(world: World, held: Held, { period, from, inPeriod }: Window): void {
  const until = Math.min(period.end, held.end ?? period.end);
  const at = Math.min(startOfDay(period.end, world.zone), held.endedAt ?? Number.POSITIVE_INFINITY);
  const { plan_code: code } = held.subscription;
  const wanted = amountsFor(world, code, { at, days: until - from, length: period.length });
  if (held.endsAtMidnight)
    wanted.push(...amountsFor(world, code, { at, days: until - from - 1, length: period.length }));
  const about = () => ({
    held,
    days: [isoOfDay(period.first), isoOfDay(from), isoOfDay(until)],
    length: period.length,
    wanted,
    inPeriod: brief(inPeriod),
  });
  if (inPeriod.length === 0) {
    demand("periodNotBilled", wanted.includes(0), about);
    return;
  }
  world.session.stage.note("checked: periods in arrears");
  demand("periodBilledTwice", inPeriod.length === 1, about);
  demand(
    "subscriptionFee",
    inPeriod.every(({ fee }) => wanted.includes(fee.amount_cents)),
    about,
  );
}

/** A period that is paid in advance: all of it at its beginning, and what is not used comes back. */
function checkInAdvance(world: World, held: Held, { period, from, inPeriod, isBegun }: Window): void {
  const { plan_code: code } = held.subscription;
  const at = Math.max(startOfDay(from, world.zone), held.startedAt);
  const wanted = amountsFor(world, code, { at, days: period.end - from, length: period.length });
  const about = () => ({
    held,
    days: [isoOfDay(period.first), isoOfDay(from)],
    length: period.length,
    wanted,
    inPeriod: brief(inPeriod),
  });
  const isAtItsEnd = held.endedAt !== undefined && held.endedAt <= startOfDay(period.first, world.zone);
  if (inPeriod.length === 0) {
    demand("periodNotBilled", !isBegun || isAtItsEnd || wanted.includes(0), about);
    return;
  }
  demand("periodBilledTwice", inPeriod.length === 1, about);
  demand(
    "subscriptionFee",
    inPeriod.every(({ fee }) => wanted.includes(fee.amount_cents)),
    about,
  );
  world.session.stage.note("checked: periods in advance");
  for (const billed of inPeriod) checkReturned(world, held, { billed, period, from });
}

type Returned = { billed: Billed; period: Period; from: Day };

function checkReturned(world: World, held: Held, { billed: { fee, invoice }, period, from }: Returned): void {
  const items = world.documents.notes.flatMap((note) =>
    note.items
      .filter((item) => item.fee.svc_id === fee.svc_id)
      .map((item) => ({ isOwn: world.ownNotes.has(note.svc_id), cents: item.amount_cents })),
  );
  const sumOf = (isOwn: boolean) =>
    items.filter((item) => item.isOwn === isOwn).reduce((sum, item) => sum + item.cents, 0);
  const [byHand, byItself] = [sumOf(true), sumOf(false)];
  const unused = held.end === undefined ? 0 : Math.max(0, period.end - Math.max(held.end, from));
  const billable = period.end - from;
  const about = () => ({ held, fee, unused, length: period.length, byHand, byItself, invoice: invoice.status });
  demand("creditedTooMuch", byHand + byItself <= fee.amount_cents, about);
  if (unused === 0) demand("returnedForNothing", byItself === 0, about);
  if (invoice.status !== "finalized" || invoice.sub_total_excluding_taxes_amount_cents === 0) return;
  if (held.endsAtMidnight || world.skippedNotes.has(held.subscription.svc_id)) return;
  const whole = billable === 0 ? 0 : (fee.amount_cents * unused) / billable;
  const wanted = Math.min(whole, fee.amount_cents - byHand);
  if (wanted > 0) world.session.stage.note("checked: unused days");
  // The fee and the item are rounded apart.
  demand("unusedDaysReturned", Math.abs(byItself - wanted) <= 1.5, () => ({ ...about(), wanted }));
}

const brief = (billed: readonly Billed[]) =>
  billed.map(({ fee, invoice }) => ({
    amount: fee.amount_cents,
    from: fee.from_date,
    to: fee.to_date,
    invoice: invoice.number,
    status: invoice.status,
  }));
