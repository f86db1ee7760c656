/** Which terms a subscription has, by what this life did. */
import type { PlanTerms } from "./catalogue.ts";
import { type Anchor, type Instant, instantOf, localDay } from "./days.ts";
import type { Subscription } from "./documents.ts";
import type { PlanVersion, World } from "./world.ts";

export function versionsOf(world: World, code: string): readonly PlanVersion[] {
  const versions = world.plans.get(code);
  if (!versions) throw new Error(`There never was a plan ${code}.`);
  return versions;
}

/** In force at an instant. An edit at that very instant may have come before or after what is asked about: both are possible. */
export function termsInForce(world: World, code: string, at: Instant): PlanTerms[] {
  const versions = versionsOf(world, code);
  const before = versions.findLast(({ from }) => from < at) ?? versions[0];
  const beside = versions.filter(({ from }) => from === at);
  return [...beside, ...(before ? [before] : [])].map(({ terms }) => terms);
}

export function anchorOf(world: World, { plan_code, billing_time, subscription_at }: Subscription): Anchor {
  const [first] = versionsOf(world, plan_code);
  if (!first) throw new Error("A plan has a first version.");
  const day = localDay(instantOf(subscription_at), world.zone);
  return { interval: first.terms.interval, isCalendar: billing_time === "calendar", day };
}
