/** Connections, each in one of the four roles from its first statement on. */
import pg from "pg";
import { exactTypes } from "./exact-types.ts";

export type Role = "owner" | "app" | "dispatcher" | "verifier";

export type RoleOptions = {
  role: Role;
  /** 0 means no limit. */
  statementTimeoutMs: number;
};

export type PoolOptions = RoleOptions & {
  url: string;
  connectionsMax: number;
  /** A library with its own SQL expects the driver's own types. */
  isForLibrary?: boolean;
};

/**
 * The role is set when the connection opens, so a query that forgets its organization runs as a role that sees no rows,
 * even when the login of DATABASE_URL is a superuser.
 */
export const createPool = (options: PoolOptions): pg.Pool =>
  createBarePool(
    options,
    Object.entries(settingsOf(options))
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(" "),
  );

/** What every statement of a pool runs with. */
export const settingsOf = ({ role, statementTimeoutMs }: RoleOptions) => ({
  role: `tallystick_${role}`,
  statement_timeout: String(statementTimeoutMs),
  idle_in_transaction_session_timeout: "10000",
  lock_timeout: "10000",
  timezone: "UTC",
});

/** Its connections have the role of the login: only for `createPooledDatabase`. */
export function createBarePool(
  { url, role, isForLibrary = false, connectionsMax }: PoolOptions,
  startUpOptions?: string,
): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: connectionsMax,
    ...(isForLibrary ? {} : { types: exactTypes }),
    connectionTimeoutMillis: 10_000,
    application_name: `tallystick_${role}`,
    ...(startUpOptions === undefined ? {} : { options: startUpOptions }),
  });
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}
