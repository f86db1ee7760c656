export { authenticationOptions, checkAssertion } from "./ceremonies.ts";
export { passkeyErrors } from "./errors.ts";
export { type PasskeyDeps, passkeyRoutes } from "./routes.ts";
export { credentialSchema } from "./schema.ts";
export { deletePasskeys, forgetChallenges, listPasskeys } from "./store.ts";
