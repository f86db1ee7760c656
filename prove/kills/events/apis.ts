/** The real API, as the service composes it, and one that is wrong on purpose. */
import type { QueryConfig } from "pg";
import { composeApi, composePlatform, type Platform } from "../../../packages/server/src/main/compose.ts";
import { readConfig } from "../../../packages/server/src/main/config.ts";
import { NO_RATE_LIMITS } from "../../../packages/server/src/main/limit-settings.ts";
import { createDatabase } from "../../../packages/server/src/platform/postgres/database.ts";
import { createPool } from "../../../packages/server/src/platform/postgres/pool.ts";

export type ApiTask = { url: string };

/** Few connections: a process lives so short here that opening them would be most of the database's work. */
const FEW = { DATABASE_CONNECTIONS: "6", WORKER_CONCURRENCY: "1" };

const compose = ({ url }: ApiTask): Platform =>
  composePlatform(readConfig({ DATABASE_URL: url, LOG_LEVEL: "silent", ...FEW, ...NO_RATE_LIMITS }));

const listen = async (platform: Platform): Promise<string> =>
  (await composeApi(platform)).listen({ host: "127.0.0.1", port: 0 });

export const runApi = (task: ApiTask): Promise<string> => listen(compose(task));

/** Says that events are stored, and stores them after that. The harness must catch it. */
export function runNaiveApi(task: ApiTask): Promise<string> {
  const platform = compose(task);
  const { DATABASE_URL: url, DATABASE_CONNECTIONS: connectionsMax } = platform.config;
  const pool = createPool({ url, role: "app", connectionsMax, statementTimeoutMs: 5_000 });
  return listen({ ...platform, db: createDatabase(answerEarly(pool)) });
}

/** What the service takes for the answer of the database: no event was there before, all of them are stored. */
const ALL_STORED = { command: "SELECT", rowCount: 0, rows: [] };

type Pool = ReturnType<typeof createPool>;

function answerEarly(pool: Pool): Pool {
  const early = {
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
  return early as unknown as Pool;
}
