/** The messages about subscriptions. */
import { Type } from "@fastify/type-provider-typebox";
import { type MessageTypes, messageOf as of } from "../../jobs/message-types.ts";
import { customerSchema } from "../customers/index.ts";
import { subscriptionWithPlanSchema } from "./to-api.ts";

const ofSubscription = of(
  "subscription",
  Type.Object({ ...subscriptionWithPlanSchema.properties, customer: customerSchema }),
);

export const subscriptionMessages: MessageTypes = {
  "subscription.started": ofSubscription("A subscription becomes active."),
  "subscription.terminated": ofSubscription("A subscription ends, or is canceled before it begins."),
  "subscription.termination_alert": ofSubscription("A subscription ends in 45 or 15 days."),
  "subscription.trial_ended": ofSubscription("The trial of a subscription has ended."),
};
