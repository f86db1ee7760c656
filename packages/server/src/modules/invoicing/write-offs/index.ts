export { writeOffErrors } from "./errors.ts";
export { writeOffRoutes } from "./routes.ts";
