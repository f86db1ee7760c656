/** What other slices show of the subscriptions. A door of its own, so that the entry does not load it. */
export { SubscribeDialog } from "./subscribe-dialog.tsx";
export { SubscriptionsOfCustomer } from "./subscriptions-of-customer.tsx";
