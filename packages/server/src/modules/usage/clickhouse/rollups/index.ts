export type { Derivation } from "./derivation.ts";
export { type DeriveDeps, derivationsOf, deriveNext, restartDerivations } from "./derive.ts";
export { findCellDifferences } from "./store.ts";
export { createRollups } from "./sum-buckets.ts";
