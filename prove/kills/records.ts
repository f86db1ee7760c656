/** Connections of the harness, apart from those of the service, which it watches. */
import { createPool } from "../../packages/server/src/platform/postgres/pool.ts";

export type Records = ReturnType<typeof createPool>;

export const openRecords = (url: string): Records =>
  createPool({ url, role: "dispatcher", connectionsMax: 8, statementTimeoutMs: 60_000 });
