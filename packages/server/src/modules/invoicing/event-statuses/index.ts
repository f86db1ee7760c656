export { loadEventFaults, loadEventStatuses } from "./load-statuses.ts";
export { type CountedWindow, keepWindows, saveCountedWindows } from "./store.ts";
