export { webhookLogErrors } from "./errors.ts";
export { replayJobs } from "./replay.ts";
export { webhookLogRoutes } from "./routes.ts";
