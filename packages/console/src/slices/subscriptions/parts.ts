/** What other slices show of the subscriptions. A door of its own, so that the entry does not load it. */
import { lazy } from "react";

export { SubscriptionsOfCustomer } from "./subscriptions-of-customer.tsx";
/** Loaded when it is opened. */
export const SubscribeDialog = lazy(async () => ({
  default: (await import("./subscribe-dialog.tsx")).SubscribeDialog,
}));
