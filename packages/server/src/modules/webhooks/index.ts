export {
  countWaitingEndpoints,
  deliverNext,
  describeMessages,
  forgetOldWebhooks,
  queueDeliveries,
} from "./deliveries/index.ts";
export {
  endpointMessages,
  listEndpointUrls,
  publicKeyRoutes,
  refusalOfUrl,
  setFirstEndpoint,
  webhookEndpointErrors,
  webhookEndpointRoutes,
} from "./endpoints/index.ts";
export { replayJobs, webhookLogErrors, webhookLogRoutes } from "./log/index.ts";
