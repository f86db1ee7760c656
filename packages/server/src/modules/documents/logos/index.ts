export { askForLogo, logoJobs } from "./fetch-logo.ts";
export { findLogo, type Logo } from "./store.ts";
