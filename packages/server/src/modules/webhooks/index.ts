export {
  countWaitingEndpoints,
  deliverNext,
  describeMessages,
  forgetOldWebhooks,
  queueDeliveries,
} from "./deliveries/index.ts";
export {
  type EndpointDeps,
  endpointMessages,
  listEndpointUrls,
  publicKeyRoutes,
  refusalOfUrl,
  setFirstEndpoint,
  webhookEndpointErrors,
  webhookEndpointRoutes,
  webhookSecrets,
} from "./endpoints/index.ts";
export { feedErrors, messageRoutes } from "./feed/index.ts";
export { replayJobs, webhookLogErrors, webhookLogRoutes } from "./log/index.ts";
