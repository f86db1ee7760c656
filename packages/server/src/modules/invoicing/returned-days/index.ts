export { type ComingBack, type EndedLife, findComingBack } from "./find-coming-back.ts";
export { findReturning } from "./store.ts";
