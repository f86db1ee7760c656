export { explanationErrors } from "./errors.ts";
export { explanationRoutes } from "./routes.ts";
