export { webhookEndpointErrors } from "./errors.ts";
export { endpointMessages } from "./messages.ts";
export { webhookSecrets } from "./reseal.ts";
export { publicKeyRoutes, webhookEndpointRoutes } from "./routes.ts";
export { type EndpointDeps, listEndpointUrls, refusalOfUrl, setFirstEndpoint } from "./save-endpoint.ts";
export { toPublishedEndpoint, type WebhookEndpointRow } from "./schema.ts";
export { type SigningSecrets, signingSecretsOf } from "./signing-secrets.ts";
