export { type ComingBack, findComingBack } from "./find-coming-back.ts";
export { findReturning } from "./store.ts";
