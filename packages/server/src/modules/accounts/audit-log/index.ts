export { activityErrors } from "./errors.ts";
export { recordActivity } from "./record-activity.ts";
export { activityRoutes } from "./routes.ts";
export { logHeads, sealNextActivities, signHeadsAgain } from "./seal-activities.ts";
export { eraseActivities, pruneActivities } from "./shorten-trail.ts";
export { countUnsealed, findChain, listHeads } from "./store.ts";
