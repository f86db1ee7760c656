export { feedErrors } from "./errors.ts";
export { messageRoutes } from "./routes.ts";
