export { describeMessages } from "./catalogue.ts";
export { deliverNext, queueDeliveries } from "./deliver.ts";
export { forgetOldWebhooks } from "./forget.ts";
export { countWaitingEndpoints } from "./store.ts";
