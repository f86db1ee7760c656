/** What the router needs of the subscriptions. */
export { subscriptionQuery, subscriptionsQuery } from "./queries.ts";
export { parseSubscriptionSearch } from "./search.ts";
