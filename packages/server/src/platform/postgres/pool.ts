/** Connections, each in one of the four roles from its first statement on. */
import pg from "pg";
import { exactTypes } from "./exact-types.ts";

export type Role = "owner" | "app" | "dispatcher" | "verifier";

export type PoolOptions = {
  url: string;
  role: Role;
  connectionsMax: number;
  /** 0 means no limit. */
  statementTimeoutMs: number;
  /** A library with its own SQL expects the driver's own types. */
  isForLibrary?: boolean;
};

/**
 * The role is set when the connection opens, so a query that forgets its organization runs as a role that sees no rows,
 * even when the login of DATABASE_URL is a superuser.
 */
export function createPool({ url, role, isForLibrary = false, ...options }: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: options.connectionsMax,
    ...(isForLibrary ? {} : { types: exactTypes }),
    connectionTimeoutMillis: 10_000,
    application_name: `tallystick_${role}`,
    options: [
      `-c role=tallystick_${role}`,
      `-c statement_timeout=${options.statementTimeoutMs}`,
      "-c idle_in_transaction_session_timeout=10000",
      "-c lock_timeout=10000",
      "-c timezone=UTC",
    ].join(" "),
  });
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}
