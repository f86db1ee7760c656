export { signInRuleErrors } from "./errors.ts";
export { signInRuleRoutes } from "./routes.ts";
export { liftDemands } from "./store.ts";
