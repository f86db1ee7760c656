/**
 * A database behind a pooler in transaction mode, such as PgBouncer. Each transaction may get another connection to Postgres, so nothing may
 * be left on one: role and settings are set where a transaction begins, in the same message, and end with it. No plan is kept either.
 */
import type { Pool, PoolClient } from "pg";
import { createDatabase, type Database } from "./database.ts";
import type { DatabaseWatch } from "./database-watch.ts";
import { type RoleOptions, settingsOf } from "./pool.ts";
import type { RunStatement } from "./prepared-statements.ts";

/** `pool` is a bare one, made with the same options. */
export function createPooledDatabase(pool: Pool, options: RoleOptions, watch: DatabaseWatch): Database {
  const settings = { ...settingsOf(options), "app.organization_id": "" };
  const set = Object.entries(settings).map(([name, value]) => `set_config('${name}', '${value}', true)`);
  return createDatabase(pool, { run: runInTransactions(`select ${set.join(", ")}`), watch });
}

const BEGINS = /^(begin|start transaction)\b/i;
const ENDS = /^(commit|rollback)$/i;

/** `setUp` runs in every transaction before anything else. A statement outside of a transaction gets one of its own. */
function runInTransactions(setUp: string): RunStatement {
  const open = new WeakSet<PoolClient>();

  /** One message, so that it costs no round trip. If a part of it fails, nothing else may run on that connection. */
  const begin = async (client: PoolClient, text: string): Promise<void> => {
    try {
      await client.query(`${text}; ${setUp}`);
    } catch (error) {
      await rollBack(client);
      throw error;
    }
  };

  return async (client, text, values) => {
    if (BEGINS.test(text)) {
      await begin(client, text);
      open.add(client);
      return EMPTY;
    }
    if (open.has(client)) {
      if (ENDS.test(text)) open.delete(client);
      return client.query({ text, values });
    }
    await begin(client, "begin");
    try {
      const result = await client.query({ text, values });
      await client.query("commit");
      return result;
    } catch (error) {
      await rollBack(client);
      throw error;
    }
  };
}

/** If it fails, the connection has ended, and its pool replaces it. The caller throws what came first. */
const rollBack = (client: PoolClient): Promise<unknown> => client.query("rollback").catch(() => undefined);

const EMPTY = { command: "BEGIN", rowCount: 0, oid: 0, fields: [], rows: [] };
