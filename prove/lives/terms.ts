/** Which terms a subscription has, by what this life did. */
import type { PlanTerms } from "./catalogue.ts";
import { type Anchor, type Instant, isoOf, numberOfDay } from "./days.ts";
import type { Life, PlanTerms as ModelPlan } from "./model/world.ts";
import type { LockedTerms, World } from "./world.ts";

/** After every step: who has other terms now has them from now on. */
export function noteTerms(world: World): void {
  for (const plan of world.model.plans.values()) world.listed.add(plan);
  for (const life of world.model.lives) {
    const known = world.terms.get(life) ?? [];
    const last = known.at(-1);
    const now = termsNow(world, life, last);
    if (last && isSame(last, now)) continue;
    // What has not begun yet never had the terms before.
    world.terms.set(life, life.begun ? [...known, now] : [now]);
  }
}

function termsNow(world: World, { plan }: Life, last: LockedTerms | undefined): LockedTerms {
  const isOwn = !world.listed.has(plan as ModelPlan);
  const listed = world.plans.get(plan.code)?.at(-1)?.terms;
  const kept: Pick<PlanTerms, "charges" | "commitment"> | undefined = isOwn && last?.isOwn ? last : listed;
  if (!kept) throw new Error(`There never was a plan ${plan.code}.`);
  const { charges, commitment } = kept;
  return { from: world.now, step: world.step, amount: plan.amount, charges, commitment, isOwn };
}

const isSame = (one: LockedTerms, other: LockedTerms): boolean =>
  one.amount === other.amount && one.charges === other.charges && one.isOwn === other.isOwn;

export const allTerms = (world: World, life: Life): readonly LockedTerms[] => world.terms.get(life) ?? [];

/** In force at an instant. A change at that very instant may have come before or after what is asked about: both are possible. */
export function termsInForce(world: World, life: Life, at: Instant): LockedTerms[] {
  const all = allTerms(world, life);
  const before = all.findLast(({ from }) => from < at) ?? all[0];
  const beside = all.filter(({ from }) => from === at);
  return [...beside, ...(before ? [before] : [])];
}

/** Where the periods of what is billed lie: of the fee, or of the charges. */
export function anchorOf({ begun, plan, billingTime }: Life, kind: "fee" | "charges"): Anchor {
  if (!begun) throw new Error("It never began.");
  const interval = kind === "charges" && plan.areChargesMonthly ? "monthly" : plan.interval;
  return { interval, isCalendar: billingTime === "calendar", day: numberOfDay(begun.anchor) };
}

export const nowIn = (world: World): string => isoOf(world.now);
