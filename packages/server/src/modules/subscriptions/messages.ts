/** The messages about subscriptions. */
import { namedObject } from "../../http/named-object.ts";
import { type MessageTypes, messageOf as of } from "../../jobs/message-types.ts";
import { customerSchema } from "../customers/index.ts";
import { subscriptionWithPlanSchema } from "./to-api.ts";

const ofSubscription = of(
  "subscription",
  namedObject("SubscriptionWithCustomer", { ...subscriptionWithPlanSchema.properties, customer: customerSchema }),
);

export const subscriptionMessages: MessageTypes = {
  "subscription.canceled": ofSubscription(
    "A subscription is canceled before it begins. `subscription.terminated` is published as well, as before.",
  ),
  "subscription.started": ofSubscription("A subscription becomes active."),
  "subscription.terminated": ofSubscription("A subscription ends, or is canceled before it begins."),
  "subscription.termination_alert": ofSubscription("A subscription ends in 45 or 15 days."),
  "subscription.trial_ended": ofSubscription("The trial of a subscription has ended."),
  "subscription.updated": ofSubscription(
    "A subscription is changed by a request, or gets or loses a plan that follows it. The start and the end have messages of their own.",
  ),
};
