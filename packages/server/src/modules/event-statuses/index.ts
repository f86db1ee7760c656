export { loadEventFaults, loadEventStatuses, type StatusEvent } from "./load-statuses.ts";
export { type CountedWindow, saveCountedWindows } from "./store.ts";
