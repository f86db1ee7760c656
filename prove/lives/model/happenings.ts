/** What happens to subscriptions as time goes by. Periods, bills and trials are not here: they follow from when one began and ended. */
import { addDays, addLocalDays, addSeconds, dayAt, earlierOf, type Instant, laterOf, midnight } from "./calendar.ts";
import { periodsOf } from "./periods.ts";
import { awaitedAfter, type Beginning, type Customer, type Life, nowOf, type World } from "./world.ts";

const ALERT_DAYS = [45, 15];

/** A new one begins when it was asked to, but not before the last one under its external id was over, whoever had it. */
export function beginNew(world: World, life: Life, now: Instant): void {
  const earlier = world.lives.filter(({ externalId, end }) => externalId === life.externalId && end !== null);
  const own = earlier.filter(({ customer }) => customer === life.customer);
  const at = earlier.reduce((latest, { end }) => laterOf(latest, end?.at ?? latest), life.subscriptionAt);
  const firstStart = own.reduce((first, { begun }) => earlierOf(first, begun?.firstStart ?? first), at);
  const { zone } = life.customer;
  const isPastBilled = life.origin !== "backdated" || world.misreading === "billedPast";
  const startDay = dayAt(at, zone);
  const opensOn = isPastBilled ? startDay : dayAt(now, zone);
  begin(world, life, { at, firstStart, startDay, anchor: dayAt(life.subscriptionAt, zone), opensOn, decidedAt: now });
}

/** One that takes over keeps the anniversaries, and its trial counts from the first start. */
export function beginAfter(world: World, life: Life, at: Instant): void {
  const { previous, customer } = life;
  const old = previous?.begun;
  if (!old) throw new Error("Nothing that began was replaced.");
  const firstStart = world.misreading === "restartedTrial" ? at : old.firstStart;
  // The day after what was billed, also where the customer has moved to a zone in which it is still to come.
  const open = periodsOf(world, previous, at).charges.at(-1);
  const today = dayAt(at, customer.zone);
  const startDay = life.takesOver?.on ?? laterOf(today, laterOf(old.startDay, open?.firstDay ?? today));
  begin(world, life, { at, firstStart, startDay, anchor: old.anchor, opensOn: startDay, decidedAt: at });
}

function begin(world: World, life: Life, start: Omit<Beginning, "zone" | "trial">): void {
  const { zone } = life.customer;
  const endsAt = life.plan.trialDays > 0 ? trialEnd(start.firstStart, life.plan.trialDays, zone) : null;
  const trial = endsAt === null ? null : { endsAt, wasOver: endsAt <= start.decidedAt };
  life.status = "active";
  life.begun = { ...start, zone, trial };
  listAlerts(world, life, start.decidedAt);
}

/** Whole days later at the same local time, and the part of a day that is left in hours of it. */
function trialEnd(start: Instant, days: number, zone: string): Instant {
  const whole = Math.floor(days);
  return addSeconds(addLocalDays(start, whole, zone), Math.round((days - whole) * 86_400));
}

/** At the first instant of the 45th and the 15th day before the day of the end, as long as that is not over. */
export function listAlerts(world: World, life: Life, now = nowOf(world, life.customer)): void {
  const { endingAt, status, customer, sentAlerts } = life;
  life.openAlerts = [];
  if (endingAt === null || status !== "active") return;
  const lastDay = dayAt(endingAt, customer.zone);
  const alerts = ALERT_DAYS.map((days) => midnight(addDays(lastDay, -days), customer.zone));
  life.openAlerts = alerts.filter((at) => at >= now && !sentAlerts.includes(at));
}

/** Ends a subscription; a downgrade that waited for it and does not follow is canceled. */
function end(world: World, life: Life, over: NonNullable<Life["end"]>): void {
  life.status = "terminated";
  life.end = over;
  life.openAlerts = [];
  const awaited = awaitedAfter(world, life);
  if (awaited && over.cause !== "downgraded") cancel(awaited, over.at);
}

/** By a request, now. What begins later today ends when it begins, and what follows begins there. */
export function endNow(world: World, life: Life, cause: "ended" | "upgraded"): Instant {
  const now = nowOf(world, life.customer);
  const awaited = awaitedAfter(world, life);
  if (awaited) cancel(awaited, now);
  const at = laterOf(now, life.begun?.at ?? now);
  end(world, life, { at, isByRequest: true, cause });
  return at;
}

export function cancel(life: Life, at: Instant): void {
  life.status = "canceled";
  life.canceledAt = at;
}

type Happening = { at: Instant; rank: number; happen: () => void };

/** Time goes on to an instant: what is due happens in order, each at its own instant. */
export function advance(world: World, to: Instant): void {
  for (let next = nextHappening(world, to); next; next = nextHappening(world, to)) {
    world.now = laterOf(world.now, next.at);
    next.happen();
  }
  world.now = to;
}

/** What is due of one customer by now happens before what it asks for. */
export function catchUp(world: World, customer: Customer): void {
  const isOurs = (life: Life) => life.customer === customer;
  const due = () => nextHappening(world, nowOf(world, customer), isOurs);
  for (let next = due(); next; next = due()) next.happen();
}

function nextHappening(
  world: World,
  until: Instant,
  isConcerned = ({ customer }: Life) => customer.isOnTestClock,
): Happening | undefined {
  const all = world.lives.filter(isConcerned).flatMap((life) => happeningsOf(world, life));
  const due = all.filter(({ at }) => at <= until);
  return due.toSorted((one, other) => (one.at === other.at ? one.rank - other.rank : one.at < other.at ? -1 : 1))[0];
}

function happeningsOf(world: World, life: Life): Happening[] {
  if (life.status === "pending" && life.previous === null)
    return [{ at: life.subscriptionAt, rank: 1, happen: () => beginNew(world, life, life.subscriptionAt) }];
  if (life.status !== "active") return [];
  const { endingAt } = life;
  const awaited = awaitedAfter(world, life);
  const happenings: Happening[] = life.openAlerts.map((at) => ({ at, rank: 4, happen: () => sendAlert(life, at) }));
  if (endingAt !== null)
    happenings.push({
      at: endingAt,
      rank: 2,
      happen: () => end(world, life, { at: endingAt, isByRequest: false, cause: "ended" }),
    });
  if (awaited?.takesOver) {
    const { at } = awaited.takesOver;
    happenings.push({ at, rank: 3, happen: () => takeOver(world, life, awaited, at) });
  }
  return happenings;
}

function sendAlert(life: Life, at: Instant): void {
  life.openAlerts = life.openAlerts.filter((open) => open !== at);
  life.sentAlerts.push(at);
}

function takeOver(world: World, life: Life, awaited: Life, at: Instant): void {
  end(world, life, { at, isByRequest: false, cause: "downgraded" });
  beginAfter(world, awaited, at);
}
