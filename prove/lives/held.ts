/** Every subscription that began, as this campaign has it and as the service shows it. */
import { type Day, type Instant, instantOf, localDay, startOfDay } from "./days.ts";
import type { Subscription } from "./documents.ts";
import type { Life } from "./model/world.ts";
import type { World } from "./world.ts";

/** A subscription with the days that it holds; `end` is not one of them. */
export type Held = {
  readonly subscription: Subscription;
  readonly life: Life;
  readonly startedAt: Instant;
  readonly endedAt: Instant | undefined;
  readonly first: Day;
  readonly end: Day | undefined;
  /** Another one goes on where it ended. */
  readonly isSucceeded: boolean;
  /** It ended at the very beginning of a day: whether that day counts depends on what else happened then. */
  readonly endsAtMidnight: boolean;
  /** In one zone, from a start that was not in the past. What else there is, other checks look at. */
  readonly isPlain: boolean;
};

/** What the model made in order is what the service made in order. */
export function heldOnes(world: World): Held[] {
  const shown = world.documents.subscriptions.toSorted((one, other) => (one.svc_id < other.svc_id ? -1 : 1));
  return world.model.lives.flatMap((life, index) => {
    const [subscription, { begun }] = [shown[index], life];
    return subscription && begun ? heldOf(world, life, subscription) : [];
  });
}

function heldOf(world: World, life: Life, subscription: Subscription): Held[] {
  const { begun, end } = life;
  if (!begun) return [];
  const startedAt = instantOf(begun.at);
  const endedAt = end ? instantOf(end.at) : undefined;
  const isSucceeded = end !== null && end.cause !== "ended";
  const endDay = endedAt === undefined ? undefined : localDay(endedAt, world.zone);
  return [
    {
      subscription,
      life,
      startedAt,
      endedAt,
      first: localDay(startedAt, world.zone),
      end: endDay === undefined || isSucceeded ? endDay : endDay + 1,
      isSucceeded,
      endsAtMidnight: endDay !== undefined && startOfDay(endDay, world.zone) === endedAt,
      isPlain: world.zone === world.setting.zone && !world.hasMoved && life.origin !== "backdated",
    },
  ];
}
