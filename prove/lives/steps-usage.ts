/** Usage, and corrections of it. */
import type { Members } from "../served-api.ts";
import type { MetricCode } from "./catalogue.ts";
import { type Instant, instantOf } from "./days.ts";
import type { Dice } from "./dice.ts";
import { periodsOf } from "./model/periods.ts";
import type { Life } from "./model/world.ts";
import type { StepKind } from "./step-kind.ts";
import { type SentEvent, SUBSCRIPTIONS, type World } from "./world.ts";

const DAY = 86_400;

/** Mostly now; sometimes some days ago, or at the edge of the period. */
function momentOf(world: World, dice: Dice, life: Life | undefined): Instant {
  const back = () => world.now - dice.between(1, 25 * DAY);
  const now = () => world.now;
  const edge = () => {
    const open = life && periodsOf(world.model, life, world.model.now).charges.at(-1);
    return open ? Math.min(world.now, instantOf(open.from) - dice.oneOf([0, 1, 0.000001])) : world.now;
  };
  return dice.oneOf([now, now, now, now, back, edge])();
}

const heldOf = (world: World, subscription: string, metric: MetricCode): number =>
  world.events
    .filter((event) => event.metric === metric && event.subscription === subscription)
    .reduce((sum, { value }) => sum + value, 0);

/** One in four takes back what was sent before, as far as that goes. */
const use =
  (metric: MetricCode): StepKind["take"] =>
  async (world, dice) => {
    const life = dice.anyOf(world.model.lives.filter(({ status }) => status === "active"));
    if (world.events.length === 0 && !life) return;
    const subscription = life?.externalId ?? SUBSCRIPTIONS[0];
    const count = dice.between(1, 3);
    for (let number = 0; number < count; number++) {
      const held = heldOf(world, subscription, metric);
      const isCorrection = dice.isOnceIn(4) && held > 0;
      const value = isCorrection ? -dice.between(1, Math.min(held, 20)) : dice.between(1, metric === "calls" ? 60 : 9);
      const at = metric === "seats" ? world.now : momentOf(world, dice, life);
      await send(world, { subscription, metric, value, at });
    }
    await world.session.settle();
  };

type Usage = Pick<SentEvent, "subscription" | "metric" | "value" | "at">;

export async function send(world: World, usage: Usage, properties: Members = { value: usage.value }): Promise<void> {
  const { subscription, metric, at } = usage;
  const transactionId = `event-${world.events.length + 1}`;
  await world.session.must("POST", "/events", {
    event: {
      transaction_id: transactionId,
      external_subscription_id: subscription,
      code: metric,
      timestamp: at,
      properties,
    },
  });
  world.events.push({ ...usage, transactionId, sentAt: world.now, step: world.step });
}

export const USAGE_STEPS: Readonly<Record<string, StepKind>> = {
  useCalls: { weight: 8, take: use("calls") },
  useJobs: { weight: 6, take: use("jobs") },
  useSeats: { weight: 7, take: use("seats") },
};
