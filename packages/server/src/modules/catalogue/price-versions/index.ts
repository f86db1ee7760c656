export {
  findFirstPrices,
  findNewestVersions,
  findPrices,
  findVersion,
  findVersionMadeBy,
  insertVersions,
  type PlanVersion,
  type Prices,
  recordClock,
  recordClocks,
  repriceBills,
} from "./store.ts";
