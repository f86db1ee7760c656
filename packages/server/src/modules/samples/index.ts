export { type Calls, sampleDataErrors, sampleDataJobs, sampleDataRoutes } from "./sample-data/index.ts";
