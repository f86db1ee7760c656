export { subscriptionDueKinds } from "./due-kinds.ts";
export { subscriptionEffects, subscriptionJobs } from "./effects.ts";
export { subscriptionErrors } from "./errors.ts";
export { type ActiveSubscription, findActiveSubscription } from "./find-active.ts";
export { endSubscriptionsOf, moveSubscriptions, takeDueOf } from "./follow-customer.ts";
export { subscriptionRoutes } from "./routes.ts";
export { findLivingAt } from "./store.ts";
