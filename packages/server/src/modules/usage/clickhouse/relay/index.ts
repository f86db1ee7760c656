export { createRelay, type Relay } from "./create-relay.ts";
export type { Deriving } from "./derivation.ts";
export { SETTLE_SECONDS } from "./limits.ts";
export { findOpened as openedUpTo, sumProgress } from "./store.ts";
export { UsageBehind } from "./usage-behind.ts";
