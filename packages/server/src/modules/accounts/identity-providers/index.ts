export { identityProviderErrors } from "./errors.ts";
export { identityProviderRoutes } from "./routes.ts";
export { providerSecrets } from "./secrets.ts";
export { providerSignInRoutes } from "./session-routes.ts";
export { forgetProviderSignIns } from "./store.ts";
