/** All that can be seen of the subscriptions of a world, as the model has it. */

import { billsOf, describeBill } from "./bills.ts";
import { addSeconds } from "./calendar.ts";
import { isReached, periodsOf } from "./periods.ts";
import { awaitedAfter, type Life, nowOf, type World } from "./world.ts";

/** One subscription: what the API shows, and what is stored of it, a line for each row. */
export type Seen = {
  readonly shown: Readonly<Record<string, string | null>>;
  readonly facts: readonly string[];
  readonly periods: readonly string[];
  readonly bills: readonly string[];
  readonly dues: readonly string[];
  readonly messages: readonly string[];
};

export const expectedOf = (world: World): Seen[] => world.lives.map((life) => seeLife(world, life));

export function seeLife(world: World, life: Life): Seen {
  const { fee, charges } = periodsOf(world, life, nowOf(world, life.customer));
  const linesOf = (kind: string, periods: typeof fee) =>
    periods.map(({ from, to, firstDay, lastDay }) => `${kind} ${from} to ${to}, ${firstDay} to ${lastDay}`);
  const nameOf = (key: "customer" | Life) => (key === "customer" ? key : `subscription ${world.lives.indexOf(key)}`);
  return {
    shown: show(world, life),
    facts: factsOf(life),
    periods: [...linesOf("charges", charges), ...linesOf("fee", fee)],
    bills: billsOf(world, life)
      .map((bill) => describeBill(world, life, bill, nameOf))
      .toSorted(),
    dues: duesOf(world, life).toSorted(),
    messages: messagesOf(world, life).toSorted(),
  };
}

const isTrialOver = (world: World, life: Life): boolean =>
  life.begun?.trial != null &&
  (life.begun.trial.wasOver || isReached(world, life, life.begun.trial.endsAt, nowOf(world, life.customer)));

function show(world: World, life: Life): Seen["shown"] {
  const { customer, begun, plan } = life;
  const next = world.lives.find(({ previous, status }) => previous === life && status !== "canceled");
  const open = life.status === "active" ? periodsOf(world, life, nowOf(world, customer)).charges.at(-1) : undefined;
  return {
    external_id: life.externalId,
    external_customer_id: customer.externalId,
    plan_code: plan.code,
    status: life.status,
    billing_time: life.billingTime,
    subscription_at: life.subscriptionAt,
    started_at: begun?.at ?? null,
    trial_ended_at: isTrialOver(world, life) ? (begun?.trial?.endsAt ?? null) : null,
    ending_at: life.endingAt,
    on_termination_credit_note: plan.isInAdvance ? (life.atEnd.creditNote ?? "credit") : null,
    on_termination_invoice: life.atEnd.invoice ?? "generate",
    terminated_at: life.end?.at ?? null,
    canceled_at: life.canceledAt,
    previous_plan_code: life.previous?.plan.code ?? null,
    next_plan_code: next?.plan.code ?? null,
    downgrade_plan_date: awaitedAfter(world, life)?.takesOver?.on ?? null,
    current_billing_period_started_at: open?.from ?? null,
    current_billing_period_ending_at: open ? addSeconds(open.to, -1) : null,
  };
}

/** What is stored beside what is shown. */
function factsOf({ origin, end, begun, moves }: Life): string[] {
  const zone = moves.at(-1)?.zone ?? begun?.zone;
  const facts = {
    origin,
    cause: end?.cause,
    start_day: begun?.startDay,
    anchor: begun?.anchor,
    first_started_at: begun?.firstStart,
    trial_ends_at: begun?.trial?.endsAt,
    zone: begun ? zone : null,
  };
  return Object.entries(facts).map(([name, value]) => `${name} ${value ?? null}`);
}

/** What it has still to do by itself. */
function duesOf(world: World, life: Life): string[] {
  if (life.status === "pending") return life.previous === null ? [`activation ${life.subscriptionAt}`] : [];
  const { endingAt, begun, openAlerts } = life;
  const now = nowOf(world, life.customer);
  const open = periodsOf(world, life, now).charges.at(-1);
  if (life.status !== "active" || !begun || !open) return [];
  const takesOverAt = awaitedAfter(world, life)?.takesOver?.at;
  const dues = [
    takesOverAt === undefined ? [] : ["downgrade", takesOverAt],
    takesOverAt === open.to ? [] : ["period_end", open.to],
    begun.trial && !isTrialOver(world, life) ? ["trial_end", begun.trial.endsAt] : [],
  ];
  const before = dues.filter(([, at]) => at !== undefined && (endingAt === null || at < endingAt));
  const ending = endingAt === null ? [] : [["ending", endingAt]];
  const alerts = openAlerts.map((at) => ["termination_alert", at]);
  return [...before, ...ending, ...alerts].map((due) => due.join(" "));
}

function messagesOf(world: World, life: Life): string[] {
  const isPublished = life.begun?.trial?.wasOver === false && isTrialOver(world, life);
  return [
    ...(life.begun ? ["subscription.started"] : []),
    ...(life.end || life.canceledAt !== null ? ["subscription.terminated"] : []),
    ...(life.canceledAt !== null ? ["subscription.canceled"] : []),
    ...(isPublished ? ["subscription.trial_ended"] : []),
    ...life.sentAlerts.map(() => "subscription.termination_alert"),
  ];
}
