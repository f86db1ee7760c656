/** Time, and what is asked of subscriptions: every answer is predicted by the model. */
import { ZONES } from "./catalogue.ts";
import { type Day, type Instant, instantOf, isoOf, isoOfDay, localDay, startOfDay } from "./days.ts";
import type { Dice } from "./dice.ts";
import { periodsOf } from "./model/periods.ts";
import {
  advanceClock,
  deleteCustomer as deleteInModel,
  moveCustomer,
  moveOrganization,
  type Overrides,
  subscribe as subscribeInModel,
  terminate as terminateInModel,
  update as updateInModel,
} from "./model/requests.ts";
import { type AtEndRequest, findCustomer, isLive, type Life } from "./model/world.ts";
import { askAsPredicted, tellModels } from "./prediction.ts";
import type { StepKind } from "./step-kind.ts";
import { CUSTOMER, SUBSCRIPTIONS, type World } from "./world.ts";

const DAY = 86_400;

const liveOnes = ({ model }: World): Life[] => model.lives.filter(isLive);
export const activeOnes = ({ model }: World): Life[] => model.lives.filter(({ status }) => status === "active");

export async function moveTo(world: World, to: Instant): Promise<void> {
  if (to <= world.now) return;
  await world.session.advance(isoOf(to));
  tellModels(world, (model) => advanceClock(model, isoOf(to)));
  world.now = to;
}

/** When the first of the open periods ends. */
export function nextBoundary(world: World): Instant {
  const ends = activeOnes(world).flatMap((life) => {
    const { fee, charges } = periodsOf(world.model, life, world.model.now);
    return [fee.at(-1), charges.at(-1)].flatMap((period) => (period ? instantOf(period.to) : []));
  });
  const next = ends.filter((end) => end > world.now);
  return next.length > 0 ? Math.min(...next) : startOfDay(localDay(world.now, world.zone) + 30, world.zone);
}

async function advance(world: World, dice: Dice): Promise<void> {
  const boundary = () => Math.min(nextBoundary(world), world.now + 100 * DAY);
  const choose = dice.oneOf([
    () => world.now + dice.between(1, 20 * DAY),
    () => world.now + dice.between(1, 12) * DAY,
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
  const ends = activeOnes(world).flatMap((life) => {
    const open = periodsOf(world.model, life, world.model.now).fee.at(-1);
    return open ? instantOf(open.to) : [];
  });
  const last = ends.length > 0 ? Math.max(...ends) : nextBoundary(world);
  // Beside a year there may be 52 weeks to bill.
  const isWeekly = activeOnes(world).some(({ plan }) => plan.interval === "weekly");
  await moveTo(world, Math.min(last, world.now + (isWeekly ? 40 : 370) * DAY) + 12 * DAY);
}

/** An amount of one's own, or another trial. */
function drawOverrides(dice: Dice): Overrides {
  const amount = dice.isOnceIn(4) ? {} : { amount: dice.oneOf([0, 100, 2500, dice.between(500, 9000)]) };
  return { ...amount, ...(dice.isOnceIn(4) ? { trialDays: dice.oneOf([0, 3, 20]) } : {}) };
}

const toApiOverrides = ({ amount, trialDays }: Overrides) => ({
  ...(amount === undefined ? {} : { amount_cents: amount }),
  ...(trialDays === undefined ? {} : { trial_period: trialDays }),
});

/** Earlier today, some days or months ago, some days to come, at midnight, on a 31st. */
const drawStart = (world: World, dice: Dice): Instant =>
  dice.oneOf([
    () => world.now + dice.between(-12, 12) * 3600,
    () => world.now - dice.between(1, 40) * DAY,
    () => world.now - dice.between(60, 400) * DAY,
    () => world.now + dice.between(1, 20) * DAY,
    () => startOfDay(localDay(world.now, world.zone) + dice.between(-3, 10), world.zone),
    () => startOfDay(lastLongDay(localDay(world.now, world.zone)), world.zone) + dice.below(DAY / 2),
  ])();

/** The last day that not every month has. */
function lastLongDay(today: Day): Day {
  let day = today;
  while (!isoOfDay(day).endsWith("-31")) day--;
  return day;
}

const drawEnd = (world: World, dice: Dice): Instant =>
  dice.oneOf([
    () => nextBoundary(world),
    () => world.now + dice.between(2 * DAY, 40 * DAY),
    () => startOfDay(localDay(world.now, world.zone) + dice.between(1, 60), world.zone),
    () => world.now + dice.between(-12, 24) * 3600,
  ])();

/** Mostly nothing is said about what an end makes. Drawn last in a step, so that the rest of it stays. */
const drawAtEnd = (dice: Dice, times: number): AtEndRequest => ({
  ...(dice.isOnceIn(times) ? { creditNote: dice.oneOf(["credit", "refund", "refund", "skip", null] as const) } : {}),
  ...(dice.isOnceIn(times) ? { invoice: dice.oneOf(["generate", "skip", "skip", null] as const) } : {}),
});

const toApiAtEnd = ({ creditNote, invoice }: AtEndRequest) => ({
  ...(creditNote === undefined ? {} : { on_termination_credit_note: creditNote }),
  ...(invoice === undefined ? {} : { on_termination_invoice: invoice }),
});

type Request = { externalId: string; customer?: string; isNew: boolean };

async function subscribeTo(
  world: World,
  dice: Dice,
  { externalId, customer = CUSTOMER, isNew }: Request,
): Promise<void> {
  const plan = dice.anyOf([...world.model.plans.values()]);
  if (!plan) return;
  const billingTime = dice.oneOf(["calendar", "anniversary"] as const);
  const startsAt = isNew && dice.isOnceIn(3) ? isoOf(drawStart(world, dice)) : undefined;
  const endsAt = dice.isOnceIn(8) ? isoOf(drawEnd(world, dice)) : undefined;
  const overrides = dice.isOnceIn(8) ? drawOverrides(dice) : undefined;
  const subscription = {
    external_customer_id: customer,
    external_id: externalId,
    plan_code: plan.code,
    ...(isNew ? { billing_time: billingTime } : {}),
    ...(startsAt === undefined ? {} : { subscription_at: startsAt }),
    ...(endsAt === undefined ? {} : { ending_at: endsAt }),
    ...(overrides === undefined ? {} : { plan_overrides: toApiOverrides(overrides) }),
  };
  // What begins between two seconds begins with the first of them.
  const isBetween = isNew && startsAt === undefined && endsAt === undefined && dice.isOnceIn(3);
  const atEnd = drawAtEnd(dice, 4);
  Object.assign(subscription, toApiAtEnd(atEnd));
  const input = { customer, externalId, plan, isPlanListed: true, overrides, startsAt, endsAt, atEnd };
  const published = { ...input, billingTime: isNew ? billingTime : undefined };
  if (isBetween) await world.session.advance(isoOf(world.now).replace("Z", ".5Z"), isoOf(world.now));
  await askAsPredicted(world, { method: "POST", path: "/subscriptions", body: { subscription } }, (model) =>
    // Each model edits plans of its own.
    subscribeInModel(model, { ...published, plan: model.plans.get(plan.code) ?? plan }),
  );
  if (isBetween) await moveTo(world, world.now + 1);
}

/** Under an id that is free, which may have been used before. */
async function subscribe(world: World, dice: Dice): Promise<void> {
  const free = SUBSCRIPTIONS.filter((id) => !liveOnes(world).some(({ externalId }) => externalId === id));
  const externalId = free[0] === SUBSCRIPTIONS[0] || dice.isOnceIn(3) ? free[0] : undefined;
  if (!world.isDeleted && externalId) await subscribeTo(world, dice, { externalId, isNew: true });
}

/** Also of one that has not begun, and back to the plan that it has, which calls off a downgrade to come. */
async function changePlan(world: World, dice: Dice): Promise<void> {
  const life = dice.anyOf(liveOnes(world));
  if (life) await subscribeTo(world, dice, { externalId: life.externalId, isNew: false });
}

/** Another customer wants an id that is in use: refused. */
async function subscribeOther(world: World, dice: Dice): Promise<void> {
  const life = dice.anyOf(liveOnes(world));
  if (life) await subscribeTo(world, dice, { externalId: life.externalId, customer: "stranger", isNew: false });
}

const pathOf = ({ externalId, status }: Pick<Life, "externalId" | "status">): string =>
  `/subscriptions/${externalId}${status === "active" ? "" : `?status=${status}`}`;

/** Ends what is active, drops what waits. */
async function terminate(world: World, dice: Dice): Promise<void> {
  const life = dice.anyOf(liveOnes(world));
  if (!life) return;
  const { externalId, status } = life;
  if (status !== "active" && status !== "pending") return;
  const { creditNote, invoice } = drawAtEnd(dice, 3);
  // A parameter cannot be null.
  const atEnd = { creditNote: creditNote ?? undefined, invoice: invoice ?? undefined };
  const query = new URLSearchParams({ status, ...(toApiAtEnd(atEnd) as Record<string, string>) });
  const request = { method: "DELETE", path: `/subscriptions/${externalId}?${query}` } as const;
  await askAsPredicted(world, request, (model) => terminateInModel(model, { externalId, status }, atEnd));
}

/** Another end, another start of what has not begun, other terms. */
async function update(world: World, dice: Dice): Promise<void> {
  const life = dice.anyOf(liveOnes(world));
  if (!life || (life.status !== "active" && life.status !== "pending")) return;
  const addressed = { externalId: life.externalId, status: life.status };
  const end = () => isoOf(drawEnd(world, dice));
  const endsAt = dice.oneOf<() => string | null | undefined>([() => undefined, () => null, end, end])();
  const startsAt = dice.isOnceIn(3) ? isoOf(drawStart(world, dice)) : undefined;
  const overrides = dice.isOnceIn(4) ? drawOverrides(dice) : undefined;
  const atEnd = drawAtEnd(dice, 3);
  const subscription = {
    ...(endsAt === undefined ? {} : { ending_at: endsAt }),
    ...toApiAtEnd(atEnd),
    ...(startsAt === undefined ? {} : { subscription_at: startsAt }),
    ...(overrides === undefined ? {} : { plan_overrides: toApiOverrides(overrides) }),
  };
  const request = { method: "PUT", path: pathOf(life), body: { subscription } } as const;
  await askAsPredicted(world, request, (model) =>
    updateInModel(model, addressed, { endsAt, startsAt, overrides, atEnd }),
  );
}

/** The customer moves, or the organization does, and with it a customer without a zone of its own. */
async function move(world: World, dice: Dice): Promise<void> {
  if (world.isDeleted || !dice.isOnceIn(2)) return;
  const timezone = dice.oneOf(ZONES);
  const [before, isOwn] = [world.zone, dice.isOnceIn(2)];
  const request = isOwn
    ? ({ method: "POST", path: "/customers", body: { customer: { external_id: CUSTOMER, timezone } } } as const)
    : ({ method: "PUT", path: "/organizations", body: { organization: { timezone } } } as const);
  await askAsPredicted(world, request, (model) =>
    isOwn ? moveCustomer(model, CUSTOMER, timezone) : moveOrganization(model, timezone),
  );
  world.zone = findCustomer(world.model, CUSTOMER)?.zone ?? before;
  world.hasMoved ||= world.zone !== before;
}

async function deleteCustomer(world: World, dice: Dice): Promise<void> {
  if (!world.isDeleted && dice.isOnceIn(3)) await remove(world);
}

async function remove(world: World): Promise<void> {
  const request = { method: "DELETE", path: `/customers/${CUSTOMER}` } as const;
  await askAsPredicted(world, request, (model) => deleteInModel(model, CUSTOMER));
  world.isDeleted = true;
}

/** Out of the contract in one of three ways. */
async function leave(world: World, dice: Dice): Promise<void> {
  const how = dice.below(3);
  if (how === 0 && !world.isDeleted) await remove(world);
  else if (how === 1) await terminate(world, dice);
}

export const SUBSCRIPTION_STEPS: Readonly<Record<string, StepKind>> = {
  advance: { weight: 14, take: advance },
  nextPeriod: { weight: 8, take: nextPeriod },
  closePeriods: { weight: 0, take: closePeriods },
  subscribe: { weight: 5, take: subscribe },
  changePlan: { weight: 9, take: changePlan },
  subscribeOther: { weight: 1, take: subscribeOther },
  terminate: { weight: 2, take: terminate },
  update: { weight: 3, take: update },
  move: { weight: 2, take: move },
  deleteCustomer: { weight: 1, take: deleteCustomer },
  leave: { weight: 0, take: leave },
};
