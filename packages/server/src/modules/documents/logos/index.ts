export { askForLogo, logoJobs } from "./fetch-logo.ts";
export { findLogo } from "./store.ts";
