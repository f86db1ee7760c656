export { type AllContributions, contributionsOf } from "./all-events.ts";
export { type ExplainedFee, needsAllEvents, windowFrom } from "./explained-fee.ts";
export { type FeeLine, LINE_NAMES, type LineName, roundingOf, usageLines } from "./lines.ts";
export { type Contribution, createWalker, type Walk } from "./walk.ts";
