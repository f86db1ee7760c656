export { changePreviewRoutes } from "./routes.ts";
