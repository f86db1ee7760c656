export { type CountSecurity, createSecurityLog } from "./count-security.ts";
export { securityLogRoutes } from "./routes.ts";
