export { askForEventChecks } from "./ask-for-event-checks.ts";
export { eventCheckJobs } from "./check-events.ts";
export { eventMessages } from "./messages.ts";
