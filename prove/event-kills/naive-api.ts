/** An API that is wrong on purpose: it says that events are stored, and stores them after that. The harness must catch it. */
import type { QueryConfig } from "pg";
import { composeApi, composePlatform } from "../../packages/server/src/main/compose.ts";
import { createDatabase } from "../../packages/server/src/platform/postgres/database.ts";
import { createPool } from "../../packages/server/src/platform/postgres/pool.ts";
import { listen, readApiTask } from "./api-task.ts";

const config = readApiTask();
const pool = createPool({
  url: config.DATABASE_URL,
  role: "app",
  connectionsMax: config.DATABASE_CONNECTIONS,
  statementTimeoutMs: 5_000,
});

/** What the service takes for the answer of the database: no event was there before, all of them are stored. */
const ALL_STORED = { command: "SELECT", rowCount: 0, rows: [] };

const answeringEarly = {
  options: pool.options,
  end: () => pool.end(),
  connect: async () => {
    const client = await pool.connect();
    return {
      query: async (statement: QueryConfig) => {
        if (!statement.text.includes("ingest_events(")) return client.query(statement);
        pool.query(statement).catch(() => undefined);
        return ALL_STORED;
      },
      release: () => client.release(),
    };
  },
};

const platform = composePlatform(config);
await listen(await composeApi({ ...platform, db: createDatabase(answeringEarly as unknown as typeof pool) }));
