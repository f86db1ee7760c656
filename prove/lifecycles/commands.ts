/** Random commands: each becomes a request to the service and a prediction of the model, by what the model knows when its turn comes. */
import fc from "fast-check";
import { addSeconds, type Instant, laterOf } from "./calendar.ts";
import { seeLife } from "./expected.ts";
import { ending, type Moment, resolve, start, stepForward } from "./moments.ts";
import { PLANS } from "./plans.ts";
import {
  type Addressed,
  type Answer,
  advanceClock,
  deleteCustomer,
  deletePlan,
  editPlan,
  moveCustomer,
  moveOrganization,
  type Overrides,
  subscribe,
  terminate,
  update,
} from "./requests.ts";
import { findCustomer, type Life, liveOnes, nowOf, type PlanTerms, type World, yearlyAmount } from "./world.ts";

/** A request, and what the model says of it. */
export type Step = {
  readonly method: "POST" | "PUT" | "DELETE";
  /** `{clock}` stands for the id of the test clock. */
  readonly path: string;
  readonly body?: unknown;
  readonly expected: Answer;
  /** A plan that has to be made first. */
  readonly makes?: PlanTerms | undefined;
};

export type Command = { readonly kind: string; readonly step: (world: World) => Step };

/** Whose external ids they usually are. */
const OWNERS = { a: "first", b: "first", c: "second" } as const;
export const CUSTOMERS = ["first", "second"] as const;
const STRANGER = "stranger";

export const ZONES = [
  "UTC",
  "Europe/Paris",
  "America/New_York",
  "Asia/Tokyo",
  "America/Havana",
  "Africa/Cairo",
  "Australia/Lord_Howe",
  "Pacific/Kiritimati",
  "Pacific/Niue",
] as const;

const externalId = fc.constantFrom(..."aaabbc");
const customerOf = (id: string): string => OWNERS[id as keyof typeof OWNERS];
const zone = fc.constantFrom(...ZONES);
const addressed: fc.Arbitrary<Addressed> = fc.record({
  externalId,
  status: fc.constantFrom("active", "active", "pending"),
});
/** True once in so many times. */
const isOnceIn = (times: number): fc.Arbitrary<boolean> => fc.nat(times - 1).map((turn) => turn === times - 1);
/** Given once in so many times. */
const onceIn = <Value>(times: number, value: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
  fc.oneof({ weight: times - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
const overrides: fc.Arbitrary<Overrides> = fc.record(
  { amount: fc.constantFrom(0, 100, 401, 2500), trialDays: fc.constantFrom(0, 1.25, 20) },
  { requiredKeys: [], noNullPrototype: true },
);

/** Where the moments of a command are reckoned from: the customer's now and zone, and what the model has due. */
function momentsOf(world: World, customer: string): (moment: Moment) => Instant {
  const known = findCustomer(world, customer);
  const now = known ? nowOf(world, known) : world.realNow;
  const where = { now, zone: known?.zone ?? world.zone, dues: duesAfter(world, now) };
  return (moment) => resolve(moment, where);
}

function duesAfter(world: World, now: Instant): Instant[] {
  const due = world.lives.flatMap((life) => seeLife(world, life).dues.map((line) => line.split(" ")[1] ?? ""));
  return [...new Set(due)].filter((at) => at > now).toSorted();
}

const apiOverrides = (given: Overrides | undefined) =>
  given && {
    ...(given.amount === undefined ? {} : { amount_cents: given.amount }),
    ...(given.trialDays === undefined ? {} : { trial_period: given.trialDays }),
  };

type PlanChoice = { how: "any" | "same" | "more" | "less"; pick: number };
const planChoice: fc.Arbitrary<PlanChoice> = fc.record({
  how: fc.constantFrom("any", "any", "same", "more", "more", "less", "less", "less"),
  pick: fc.nat(PLANS.length),
});

/** Of the plans as they are listed now; more or less than what is held costs, if there is such a plan. */
function choosePlan(world: World, held: Life | undefined, { how, pick }: PlanChoice): PlanTerms {
  const listed = PLANS.map((plan) => world.plans.get(plan.code) ?? plan);
  const fits = (plan: PlanTerms): boolean => {
    if (!held || how === "any") return true;
    if (how === "same") return plan.code === held.plan.code;
    const isMore = yearlyAmount(plan) >= yearlyAmount(held.plan);
    return plan.code !== held.plan.code && plan.currency === held.plan.currency && isMore === (how === "more");
  };
  const fitting = listed.filter(fits);
  const [first] = fitting.length > 0 ? fitting : listed;
  const chosen = fitting[pick % Math.max(1, fitting.length)] ?? first;
  if (!chosen) throw new Error("There are plans.");
  return chosen;
}

const subscribes = fc
  .record({
    externalId,
    isForeign: isOnceIn(8),
    isStranger: isOnceIn(20),
    isPlanLeftOut: isOnceIn(20),
    plan: planChoice,
    overrides: onceIn(6, overrides),
    billingTime: fc.constantFrom(undefined, "calendar", "anniversary", "anniversary"),
    start: onceIn(2, start),
    ending: fc.oneof(
      { weight: 5, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.constant(null) },
      { weight: 3, arbitrary: ending },
    ),
  })
  .map(
    (given): Command => ({
      kind: "subscribe",
      step: (world) => {
        const owner = customerOf(given.externalId);
        const other = owner === "first" ? "second" : "first";
        const customer = given.isStranger ? STRANGER : given.isForeign ? other : owner;
        const at = momentsOf(world, customer);
        const held = liveOnes(world, given.externalId).at(0);
        const plan = choosePlan(world, held, given.plan);
        const isMissing = !world.plans.has(plan.code);
        const startsAt = given.start && at(given.start);
        const endsAt = given.ending && at(given.ending);
        const body = {
          subscription: {
            external_customer_id: customer,
            plan_code: plan.code,
            external_id: given.externalId,
            ...(given.billingTime === undefined ? {} : { billing_time: given.billingTime }),
            ...(startsAt === undefined ? {} : { subscription_at: startsAt }),
            ...(endsAt === undefined ? {} : { ending_at: endsAt }),
            ...(given.overrides === undefined ? {} : { plan_overrides: apiOverrides(given.overrides) }),
          },
        };
        const makes = isMissing && !given.isPlanLeftOut ? plan : undefined;
        if (makes) world.plans.set(plan.code, plan);
        const wish = { ...given, customer, plan, isPlanListed: world.plans.has(plan.code), startsAt, endsAt };
        return { method: "POST", path: "/subscriptions", body, makes, expected: subscribe(world, wish) };
      },
    }),
  );

const pathOf = ({ externalId: id, status }: Addressed): string =>
  `/subscriptions/${id}${status === "active" ? "" : `?status=${status}`}`;

const terminates = addressed.map(
  (whom): Command => ({
    kind: "terminate",
    step: (world) => ({ method: "DELETE", path: pathOf(whom), expected: terminate(world, whom) }),
  }),
);

const updates = fc
  .record({
    whom: addressed,
    ending: fc.oneof(
      { weight: 2, arbitrary: fc.constant(undefined) },
      { weight: 2, arbitrary: fc.constant(null) },
      { weight: 4, arbitrary: ending },
    ),
    start: onceIn(3, start),
    overrides: onceIn(4, overrides),
  })
  .map(
    ({ whom, ending: end, start: begin, overrides: own }): Command => ({
      kind: "update",
      step: (world) => {
        const [held] = liveOnes(world, whom.externalId);
        const at = momentsOf(world, held?.customer.externalId ?? customerOf(whom.externalId));
        const wish = { endsAt: end && at(end), startsAt: begin && at(begin), overrides: own };
        const body = {
          subscription: {
            ...(wish.endsAt === undefined ? {} : { ending_at: wish.endsAt }),
            ...(wish.startsAt === undefined ? {} : { subscription_at: wish.startsAt }),
            ...(own === undefined ? {} : { plan_overrides: apiOverrides(own) }),
          },
        };
        return { method: "PUT", path: pathOf(whom), body, expected: update(world, whom, wish) };
      },
    }),
  );

const moves = fc.record({ customer: fc.constantFrom(...CUSTOMERS), zone }).map(
  ({ customer, zone: to }): Command => ({
    kind: "move",
    step: (world) => {
      const clock = findCustomer(world, customer) ? {} : { test_clock_id: "{clock}" };
      const body = { customer: { external_id: customer, timezone: to, ...clock } };
      return { method: "POST", path: "/customers", body, expected: moveCustomer(world, customer, to) };
    },
  }),
);

const moveOfAll = zone.map(
  (to): Command => ({
    kind: "move of the organization",
    step: (world) => ({
      method: "PUT",
      path: "/organizations",
      body: { organization: { timezone: to } },
      expected: moveOrganization(world, to),
    }),
  }),
);

const advance = (moment: Moment): Command => ({
  kind: "advance",
  step: (world) => {
    const { now } = world;
    const zone = world.customers.find(({ isOnTestClock }) => isOnTestClock)?.zone ?? world.zone;
    const to = laterOf(addSeconds(now, 1), resolve(moment, { now, zone, dues: duesAfter(world, now) }));
    const body = { test_clock: { now: to } };
    return { method: "POST", path: "/test_clocks/{clock}/advance", body, expected: advanceClock(world, to) };
  },
});
const advances = stepForward.map(advance);

/** What is left at the end of a run lives on for so long that every kind of boundary comes. */
export const epilogue: Command = advance({ kind: "months", count: 7 });

const customerDeletions = fc.constantFrom(...CUSTOMERS).map(
  (customer): Command => ({
    kind: "delete customer",
    step: (world) => ({ method: "DELETE", path: `/customers/${customer}`, expected: deleteCustomer(world, customer) }),
  }),
);

/** Of a plan that somebody has, if there is one. */
function usedPlan(world: World, pick: number): PlanTerms {
  const used = world.lives.filter(({ status }) => status === "active" || status === "pending").map(({ plan }) => plan);
  const candidates = used.length > 0 ? used : PLANS;
  const chosen = candidates[pick % candidates.length];
  if (!chosen) throw new Error("There are plans.");
  return chosen;
}

const planDeletions = fc.nat(20).map(
  (pick): Command => ({
    kind: "delete plan",
    step: (world) => {
      const { code } = usedPlan(world, pick);
      return { method: "DELETE", path: `/plans/${code}`, expected: deletePlan(world, code) };
    },
  }),
);

const planEdits = fc.record({ pick: fc.nat(20), amount: fc.constantFrom(1, 350, 1200, 6000) }).map(
  ({ pick, amount }): Command => ({
    kind: "edit plan",
    step: (world) => {
      const { code } = usedPlan(world, pick);
      const body = { plan: { amount_cents: amount } };
      return { method: "PUT", path: `/plans/${code}`, body, expected: editPlan(world, code, amount) };
    },
  }),
);

export const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 30, arbitrary: subscribes },
  { weight: 30, arbitrary: advances },
  { weight: 10, arbitrary: updates },
  { weight: 7, arbitrary: terminates },
  { weight: 6, arbitrary: moves },
  { weight: 1, arbitrary: moveOfAll },
  { weight: 1, arbitrary: customerDeletions },
  { weight: 1, arbitrary: planDeletions },
  { weight: 2, arbitrary: planEdits },
);
