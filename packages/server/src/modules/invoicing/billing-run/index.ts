export { billingRunRoutes } from "./routes.ts";
