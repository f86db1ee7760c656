export { dueSource } from "./due-source.ts";
export { parkedItemErrors } from "./errors.ts";
export { parkedItemMessages } from "./messages.ts";
export { parkItem } from "./park-item.ts";
export { type ParkedSource, retryItem, skipItem } from "./resolve-item.ts";
export { parkedItemRoutes } from "./routes.ts";

export { countParked, findLeftOut, listParked } from "./store.ts";
