/** What each request does to the facts, and what it is answered with. */
import { addDays, type Day, dayAt, type Instant } from "./calendar.ts";
import { advance, beginAfter, beginNew, cancel, catchUp, endNow, listAlerts } from "./happenings.ts";
import { periodsOf } from "./periods.ts";
import {
  type AtEndRequest,
  agreeAtEnd,
  awaitedAfter,
  type Customer,
  findCustomer,
  isLive,
  type Life,
  liveOnes,
  nowOf,
  type PlanTerms,
  type World,
  yearlyAmount,
} from "./world.ts";

/** `shows`: the subscription that the answer describes. */
export type Answer =
  | { readonly status: 200; readonly shows?: Life }
  | { readonly status: 404; readonly code: string }
  | { readonly status: 422; readonly field: string; readonly code: string };

export type Overrides = { readonly amount?: number; readonly trialDays?: number };

export type SubscribeRequest = {
  readonly customer: string;
  readonly externalId: string;
  /** As it is listed. */
  readonly plan: PlanTerms;
  readonly isPlanListed: boolean;
  readonly overrides: Overrides | undefined;
  readonly billingTime: Life["billingTime"] | undefined;
  readonly startsAt: Instant | undefined;
  /** null: never. undefined: not said. */
  readonly endsAt: Instant | null | undefined;
  readonly atEnd: AtEndRequest;
};

const refused = (field: string, code: string): Answer => ({ status: 422, field, code });
const NOT_FOUND: Answer = { status: 404, code: "subscription_not_found" };

/** Subscribes a customer, changes a plan, or does nothing. */
export function subscribe(world: World, input: SubscribeRequest): Answer {
  const known = findCustomer(world, input.customer);
  const customer = known ?? newCustomer(input.customer, { isOnTestClock: false, zone: world.zone, hasOwnZone: false });
  const now = nowOf(world, customer);
  const held = liveOnes(world, input.externalId);
  const plan = input.overrides ? { ...input.plan, ...input.overrides } : input.plan;
  const current = held.find(({ previous, status }) => status === "active" || previous === null);
  const subscriptionAt = current?.subscriptionAt ?? input.startsAt ?? now;
  if (held.some((life) => life.customer !== customer)) return refused("external_id", "value_already_exist");
  if (!input.isPlanListed) return { status: 404, code: "plan_not_found" };
  if (customer.currency !== null && customer.currency !== plan.currency)
    return refused("currency", "currencies_does_not_match");
  const startDay = takeOverFor(world, current, input)?.on ?? dayAt(subscriptionAt, customer.zone);
  if (!mayEnd(customer, now, input.endsAt ?? null, startDay)) return refused("ending_at", "invalid_date");
  if (!known) world.customers.push(customer);
  customer.currency = plan.currency;
  const shows = current ? changePlan(world, current, input, plan) : create(world, input, { customer, plan, now });
  catchUp(world, customer);
  return { status: 200, shows };
}

/** On a local day after today, and after the day of the start. */
function mayEnd({ zone }: Customer, now: Instant, endingAt: Instant | null, startDay: Day): boolean {
  if (endingAt === null) return true;
  const day = dayAt(endingAt, zone);
  return day > dayAt(now, zone) && day > startDay;
}

export const newCustomer = (
  externalId: string,
  given: Pick<Customer, "isOnTestClock" | "zone" | "hasOwnZone">,
): Customer => ({
  externalId,
  ...given,
  currency: null,
  isDeleted: false,
});

type Agreed = { customer: Customer; plan: PlanTerms; now: Instant };

function create(world: World, options: SubscribeRequest, { customer, plan, now }: Agreed): Life {
  const life = newLife({
    customer,
    externalId: options.externalId,
    billingTime: options.billingTime ?? "calendar",
    plan,
    origin: "new",
    subscriptionAt: options.startsAt ?? now,
    endingAt: options.endsAt ?? null,
    atEnd: agreeAtEnd(plan, options.atEnd, null),
    previous: null,
    takesOver: null,
  });
  startOrWait(world, life, now);
  world.lives.push(life);
  return life;
}

/** By local dates: of today or before it begins, of a coming day it waits. */
function startOrWait(world: World, life: Life, now: Instant): void {
  const [startDay, today] = [dayAt(life.subscriptionAt, life.customer.zone), dayAt(now, life.customer.zone)];
  if (startDay > today) return;
  life.origin = startDay < today ? "backdated" : "new";
  beginNew(world, life, now);
}

const newLife = (
  given: Pick<
    Life,
    | "customer"
    | "externalId"
    | "billingTime"
    | "plan"
    | "origin"
    | "subscriptionAt"
    | "endingAt"
    | "atEnd"
    | "previous"
    | "takesOver"
  >,
): Life => ({
  ...given,
  status: "pending",
  begun: null,
  end: null,
  canceledAt: null,
  moves: [],
  openAlerts: [],
  sentAlerts: [],
});

/** Terms of one's own are never those one has. */
const isHeld = (life: Life | undefined, { plan, overrides }: SubscribeRequest): boolean =>
  overrides === undefined && life?.plan.code === plan.code;

const isUpgrade = ({ misreading }: World, held: PlanTerms, expected: PlanTerms): boolean =>
  yearlyAmount(expected) >= yearlyAmount(held) || misreading === "hastyDowngrade";

/** If the requested is for a cheaper plan than the active one: where the period of its fee ends. */
function takeOverFor(world: World, current: Life | undefined, query: SubscribeRequest): Life["takesOver"] {
  if (current?.status !== "active" || [current, awaitedAfter(world, current)].some((life) => isHeld(life, query)))
    return null;
  if (isUpgrade(world, current.plan, { ...query.plan, ...query.overrides })) return null;
  const open = periodsOf(world, current, nowOf(world, current.customer)).fee.at(-1);
  return open ? { at: open.to, on: addDays(open.lastDay, 1) } : null;
}

/** The subscription that is active afterwards, or still waits. */
function changePlan(world: World, current: Life, requested: SubscribeRequest, plan: PlanTerms): Life {
  const awaited = awaitedAfter(world, current);
  if (isHeld(current, requested)) return current;
  if (current.status === "pending") {
    current.plan = plan;
    current.atEnd = agreeAtEnd(plan, requested.atEnd, current.atEnd);
    return current;
  }
  if (isHeld(awaited, requested)) return current;
  const takesOver = takeOverFor(world, current, requested);
  if (awaited) cancel(awaited, nowOf(world, current.customer));
  const endingAt = requested.endsAt === undefined ? current.endingAt : requested.endsAt;
  const atEnd = agreeAtEnd(plan, requested.atEnd, current.atEnd);
  const successor = newSuccessor(current, { plan, endingAt, atEnd, takesOver });
  if (takesOver) world.lives.push(successor);
  else upgrade(world, current, successor);
  return takesOver ? current : successor;
}

const newSuccessor = (current: Life, agreed: Pick<Life, "plan" | "endingAt" | "atEnd" | "takesOver">): Life => {
  const { customer, externalId, billingTime, subscriptionAt } = current;
  const origin = agreed.takesOver ? "downgrade" : "upgrade";
  return newLife({ customer, externalId, billingTime, subscriptionAt, ...agreed, origin, previous: current });
};

function upgrade(world: World, current: Life, successor: Life): void {
  const at = endNow(world, current, "upgraded");
  world.lives.push(successor);
  beginAfter(world, successor, at);
}

export type Addressed = { readonly externalId: string; readonly status: "active" | "pending" };

export type UpdateRequest = {
  readonly endsAt: Instant | null | undefined;
  readonly startsAt: Instant | undefined;
  readonly overrides: Overrides | undefined;
  readonly atEnd: AtEndRequest;
};

const addressedIn = (world: World, { externalId, status }: Addressed): Life | undefined =>
  liveOnes(world, externalId).find((life) => life.status === status);

/** Changes the end, the start of what has not begun, the terms. */
export function update(world: World, addressed: Addressed, requested: UpdateRequest): Answer {
  const life = addressedIn(world, addressed);
  if (!life) return NOT_FOUND;
  const now = nowOf(world, life.customer);
  const waits = life.status === "pending" && life.previous === null;
  const isMoved = waits && requested.startsAt !== undefined;
  const endingAt = requested.endsAt === undefined ? life.endingAt : requested.endsAt;
  const subscriptionAt = (isMoved ? requested.startsAt : undefined) ?? life.subscriptionAt;
  const areDatesSaid = isMoved || requested.endsAt !== undefined;
  const startDay = life.takesOver?.on ?? dayAt(subscriptionAt, life.customer.zone);
  if (areDatesSaid && !mayEnd(life.customer, now, endingAt, startDay)) return refused("ending_at", "invalid_date");
  life.endingAt = endingAt;
  life.subscriptionAt = subscriptionAt;
  const awaited = awaitedAfter(world, life);
  if (awaited && requested.endsAt !== undefined) awaited.endingAt = requested.endsAt;
  life.atEnd = agreeAtEnd(life.plan, requested.atEnd, life.atEnd);
  if (awaited) awaited.atEnd = agreeAtEnd(awaited.plan, requested.atEnd, awaited.atEnd);
  if (requested.overrides) life.plan = { ...life.plan, ...requested.overrides };
  if (isMoved) startOrWait(world, life, now);
  listAlerts(world, life);
  catchUp(world, life.customer);
  return { status: 200, shows: life };
}

/** Ends what is active, drops what waits. */
export function terminate(world: World, addressed: Addressed, atEnd: AtEndRequest): Answer {
  const life = addressedIn(world, addressed);
  if (!life) return NOT_FOUND;
  life.atEnd = agreeAtEnd(life.plan, atEnd, life.atEnd);
  stop(world, life);
  return { status: 200, shows: life };
}

function stop(world: World, life: Life): void {
  if (life.status === "active") endNow(world, life, "ended");
  else if (life.status === "pending") cancel(life, nowOf(world, life.customer));
}

/** Makes the customer, or moves the one there is to another zone. */
export function moveCustomer(world: World, externalId: string, zone: string): Answer {
  const customer = findCustomer(world, externalId);
  if (customer) {
    customer.hasOwnZone = true;
    move(world, customer, zone);
  } else world.customers.push(newCustomer(externalId, { isOnTestClock: true, zone, hasOwnZone: true }));
  return { status: 200 };
}

/** Customers without a zone of their own move with the organization. */
export function moveOrganization(world: World, zone: string): Answer {
  world.zone = zone;
  for (const customer of world.customers) if (!customer.hasOwnZone && !customer.isDeleted) move(world, customer, zone);
  return { status: 200 };
}

/** Open periods keep their ends; alerts are of the new zone's days. */
function move(world: World, customer: Customer, zone: string): void {
  if (customer.zone === zone) return;
  customer.zone = zone;
  for (const life of world.lives.filter((each) => each.customer === customer && isLive(each))) {
    life.moves.push({ at: nowOf(world, customer), zone });
    listAlerts(world, life);
  }
  catchUp(world, customer);
}

export function deleteCustomer(world: World, externalId: string): Answer {
  const customer = findCustomer(world, externalId);
  if (!customer) return { status: 404, code: "customer_not_found" };
  for (const life of world.lives) if (life.customer === customer) stop(world, life);
  customer.isDeleted = true;
  return { status: 200 };
}

export function deletePlan(world: World, code: string): Answer {
  if (!world.plans.delete(code)) return { status: 404, code: "plan_not_found" };
  for (const life of world.lives) if (life.plan.code === code) stop(world, life);
  return { status: 200 };
}

/** Whoever has not terms of his own follows; a downgrade that is none any more takes effect at once. */
export function editPlan(world: World, code: string, amount: number): Answer {
  const plan = world.plans.get(code);
  if (!plan) return { status: 404, code: "plan_not_found" };
  const edited = { ...plan, amount };
  world.plans.set(code, edited);
  for (const life of world.lives) if (life.plan === plan) life.plan = edited;
  for (const life of [...world.lives]) {
    const awaited = life.status === "active" ? awaitedAfter(world, life) : undefined;
    if (!awaited || ![life, awaited].some((each) => each.plan === edited)) continue;
    if (yearlyAmount(awaited.plan) < yearlyAmount(life.plan)) continue;
    const { plan: dearer, endingAt, atEnd } = awaited;
    upgrade(world, life, newSuccessor(life, { plan: dearer, endingAt, atEnd, takesOver: null }));
    catchUp(world, life.customer);
  }
  return { status: 200 };
}

export function advanceClock(world: World, to: Instant): Answer {
  advance(world, to);
  return { status: 200 };
}
