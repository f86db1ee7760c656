export { usageErrors } from "./errors.ts";
export { createPostgresEventStore } from "./postgres-event-store.ts";
export { usageRoutes } from "./routes.ts";
