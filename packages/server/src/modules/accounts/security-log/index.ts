export { type CountSecurity, createSecurityLog, dayOf } from "./count-security.ts";
export { securityLogRoutes } from "./routes.ts";
export { countForPerson } from "./store.ts";
