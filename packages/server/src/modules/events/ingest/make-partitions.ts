/** The partitions of the months to come, so that events need not lie in the default one. */
import type { Database } from "../../../platform/postgres/database.ts";
import { makePartitions } from "./store.ts";

const MONTHS_AHEAD = 3;

/** Called by a scheduled job; safe to repeat. */
export const makeEventPartitions = (dispatcherDb: Database): Promise<void> =>
  makePartitions(dispatcherDb, MONTHS_AHEAD);
