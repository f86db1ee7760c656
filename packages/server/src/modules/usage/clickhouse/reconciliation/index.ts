export { rebuild } from "./rebuild.ts";
export { type Difference, reconcile } from "./reconcile.ts";
export { relayStatus } from "./status.ts";
