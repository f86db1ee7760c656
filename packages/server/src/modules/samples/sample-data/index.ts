export { sampleDataErrors } from "./errors.ts";
export { sampleDataRoutes } from "./routes.ts";
export type { Calls } from "./run.ts";
export { sampleDataJobs } from "./sample-data-job.ts";
