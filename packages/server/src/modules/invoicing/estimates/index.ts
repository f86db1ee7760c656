export { estimateRoutes } from "./routes.ts";
