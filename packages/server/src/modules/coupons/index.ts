export { couponErrors } from "./errors.ts";
export { couponRoutes } from "./routes.ts";
