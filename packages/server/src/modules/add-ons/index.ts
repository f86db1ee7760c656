export { addOnErrors } from "./errors.ts";
export { addOnRoutes } from "./routes.ts";
