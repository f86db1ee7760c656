/** Time, subscriptions and usage. */
import type { MetricCode } from "./catalogue.ts";
import { type Instant, isoOf, localDay, periodOf, startOfDay } from "./days.ts";
import type { Dice } from "./dice.ts";
import type { StepKind } from "./step-kind.ts";
import { anchorOf } from "./terms.ts";
import { activeOne, CUSTOMER, plansNow, SUBSCRIPTION, type World } from "./world.ts";

const DAY = 86_400;

async function moveTo(world: World, to: Instant): Promise<void> {
  if (to <= world.now) return;
  await world.session.advance(isoOf(to));
  world.now = to;
}

/** When the open period ends. */
function nextBoundary(world: World): Instant {
  const active = activeOne(world);
  const day = localDay(world.now, world.zone);
  const anchor = active && anchorOf(world, active);
  return startOfDay(anchor ? periodOf(anchor, day).end : day + 30, world.zone);
}

async function advance(world: World, dice: Dice): Promise<void> {
  const within = () => world.now + dice.between(1, 20 * DAY);
  const days = () => world.now + dice.between(1, 12) * DAY;
  const boundary = () => Math.min(nextBoundary(world), world.now + 100 * DAY);
  const choose = dice.oneOf([
    within,
    days,
    boundary,
    boundary,
    () => boundary() + 1,
    () => boundary() - 1,
    () => world.now + 1,
  ]);
  await moveTo(world, choose());
}

async function nextPeriod(world: World, dice: Dice): Promise<void> {
  await moveTo(world, Math.min(nextBoundary(world), world.now + 100 * DAY) + dice.between(1, 3 * DAY));
}

/** Far enough that every period that is open now is over, and its draft final. */
async function closePeriods(world: World): Promise<void> {
  await moveTo(world, Math.min(nextBoundary(world), world.now + 370 * DAY) + 12 * DAY);
}

async function subscribe(world: World, dice: Dice): Promise<void> {
  if (world.isDeleted || activeOne(world)) return;
  const plan = dice.anyOf(plansNow(world));
  if (!plan) return;
  await world.session.ask("POST", "/subscriptions", {
    subscription: {
      external_customer_id: CUSTOMER,
      external_id: SUBSCRIPTION,
      plan_code: plan.code,
      billing_time: dice.oneOf(["calendar", "anniversary"]),
    },
  });
}

async function changePlan(world: World, dice: Dice): Promise<void> {
  const active = activeOne(world);
  const plan = dice.anyOf(plansNow(world));
  if (!active || !plan) return;
  await world.session.ask("POST", "/subscriptions", {
    subscription: { external_customer_id: CUSTOMER, external_id: SUBSCRIPTION, plan_code: plan.code },
  });
}

async function terminate(world: World, dice: Dice): Promise<void> {
  const active = activeOne(world);
  if (!active) return;
  const how = dice.oneOf(["", "", "", "?on_termination_credit_note=refund", "?on_termination_credit_note=skip"]);
  const answer = await world.session.ask("DELETE", `/subscriptions/${SUBSCRIPTION}${how}`);
  if (answer && how.endsWith("skip")) world.skippedNotes.add(active.svc_id);
}

async function endLater(world: World, dice: Dice): Promise<void> {
  if (!activeOne(world)) return;
  const ending_at = isoOf(dice.isOnceIn(3) ? nextBoundary(world) : world.now + dice.between(2 * DAY, 40 * DAY));
  await world.session.ask("PUT", `/subscriptions/${SUBSCRIPTION}`, { subscription: { ending_at } });
}

/** Mostly now; sometimes some days ago, or at the edge of the period. */
function momentOf(world: World, dice: Dice): Instant {
  const back = () => world.now - dice.between(1, 25 * DAY);
  const now = () => world.now;
  const edge = () => {
    const active = activeOne(world);
    const anchor = active && anchorOf(world, active);
    if (!anchor) return world.now;
    return startOfDay(periodOf(anchor, localDay(world.now, world.zone)).first, world.zone) - dice.below(2);
  };
  return dice.oneOf([now, now, now, now, back, edge])();
}

const heldOf = (world: World, metric: MetricCode): number =>
  world.events.filter((event) => event.metric === metric).reduce((sum, { value }) => sum + value, 0);

/** One in four takes back what was sent before, as far as that goes. */
const use =
  (metric: MetricCode): StepKind["take"] =>
  async (world, dice) => {
    if (world.events.length === 0 && !activeOne(world)) return;
    const count = dice.between(1, 3);
    for (let number = 0; number < count; number++) {
      const held = heldOf(world, metric);
      const isCorrection = dice.isOnceIn(4) && held > 0;
      const value = isCorrection ? -dice.between(1, Math.min(held, 20)) : dice.between(1, metric === "calls" ? 60 : 9);
      await send(world, { metric, value, at: metric === "seats" ? world.now : momentOf(world, dice) });
    }
    await world.session.settle();
  };

async function send(world: World, { metric, value, at }: { metric: MetricCode; value: number; at: Instant }) {
  const transactionId = `event-${world.events.length + 1}`;
  await world.session.must("POST", "/events", {
    event: {
      transaction_id: transactionId,
      external_subscription_id: SUBSCRIPTION,
      code: metric,
      timestamp: at,
      properties: { value },
    },
  });
  world.events.push({ transactionId, metric, value, at, sentAt: world.now, step: world.step });
}

/** Out of the contract in one of three ways. */
async function leave(world: World, dice: Dice): Promise<void> {
  const how = dice.below(3);
  if (how === 0 && !world.isDeleted) {
    await world.session.must("DELETE", `/customers/${CUSTOMER}`);
    world.isDeleted = true;
  } else if (how === 1) await terminate(world, dice);
}

export const USAGE_STEPS: Readonly<Record<string, StepKind>> = {
  advance: { weight: 14, take: advance },
  nextPeriod: { weight: 8, take: nextPeriod },
  closePeriods: { weight: 0, take: closePeriods },
  subscribe: { weight: 4, take: subscribe },
  changePlan: { weight: 9, take: changePlan },
  terminate: { weight: 2, take: terminate },
  endLater: { weight: 1, take: endLater },
  useCalls: { weight: 8, take: use("calls") },
  useJobs: { weight: 6, take: use("jobs") },
  useSeats: { weight: 7, take: use("seats") },
  leave: { weight: 0, take: leave },
};
