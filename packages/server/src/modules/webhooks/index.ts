export {
  countWaitingEndpoints,
  deliverNext,
  describeMessages,
  forgetOldWebhooks,
  MESSAGE_TYPES,
  queueDeliveries,
} from "./deliveries/index.ts";
export {
  listEndpointUrls,
  publicKeyRoutes,
  setFirstEndpoint,
  webhookEndpointErrors,
  webhookEndpointRoutes,
} from "./endpoints/index.ts";
export { replayJobs, webhookLogErrors, webhookLogRoutes } from "./log/index.ts";
