export { webhookEndpointErrors } from "./errors.ts";
export { endpointMessages } from "./messages.ts";
export { publicKeyRoutes, webhookEndpointRoutes } from "./routes.ts";
export { listEndpointUrls, refusalOfUrl, setFirstEndpoint, workingOldSecrets } from "./save-endpoint.ts";
export { toPublishedEndpoint, type WebhookEndpointRow } from "./schema.ts";
export { signingKeyOf } from "./signing-key.ts";
