export { webhookEndpointErrors } from "./errors.ts";
export { publicKeyRoutes, webhookEndpointRoutes } from "./routes.ts";
export { listEndpointUrls, setFirstEndpoint } from "./save-endpoint.ts";
export { toldEndpointSchema, toToldEndpoint, type WebhookEndpointRow } from "./schema.ts";
export { signingKeyOf } from "./signing-key.ts";
export { endpointMessages } from "./messages.ts";
