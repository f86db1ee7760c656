export {
  findNewestVersions,
  findVersion,
  findVersionMadeBy,
  insertVersions,
  type PlanVersion,
  recordClocks,
} from "./store.ts";
