export { signInRuleErrors } from "./errors.ts";
export { signInRuleRoutes } from "./routes.ts";
export { relaxRules } from "./store.ts";
