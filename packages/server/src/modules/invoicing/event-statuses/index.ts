export { loadEventFaults, loadEventStatuses, type StatusEvent } from "./load-statuses.ts";
export { type CountedWindow, keepWindows, saveCountedWindows } from "./store.ts";
