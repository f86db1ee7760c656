/** Creates the partitions of coming months, so that events do not end up in the default partition. */
import type { Database } from "../../../platform/postgres/database.ts";
import { makePartitions } from "./store.ts";

const MONTHS_AHEAD = 3;

/** Called by a scheduled job; safe to repeat. */
export const makeEventPartitions = (dispatcherDb: Database): Promise<void> =>
  makePartitions(dispatcherDb, MONTHS_AHEAD);
