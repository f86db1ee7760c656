export {
  findNewestVersions,
  findVersion,
  findVersionMadeBy,
  insertVersions,
  type PlanVersion,
  recordClock,
  recordClocks,
} from "./store.ts";
