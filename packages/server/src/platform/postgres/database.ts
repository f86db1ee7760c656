/** Kysely over a pool, and the one way to open a transaction for an organization. */
import { Kysely, PostgresDialect, type PostgresPool, sql, type Transaction, type TransactionBuilder } from "kysely";
import type pg from "pg";
import type { DatabaseWatch } from "./database-watch.ts";
import { toParameter } from "./exact-types.ts";
import { isOutdated, keepPlans, type RunStatement } from "./prepared-statements.ts";
import type { DB } from "./schema.ts";

export type Database = Kysely<DB>;
export type Tx = Transaction<DB>;

type DatabaseOptions = {
  /** By default, statements that are used repeatedly keep their plans. */
  run?: RunStatement;
  watch?: DatabaseWatch;
};

export function createDatabase(pool: pg.Pool, { run = keepPlans(), watch }: DatabaseOptions = {}): Database {
  const watched = watch ? watchedBy(watch, pool, run) : { connect: () => pool.connect(), run };
  return new Kysely<DB>({ dialect: new PostgresDialect({ pool: withExactParameters(pool, watched) }) });
}

type Access = { connect: () => Promise<pg.PoolClient>; run: RunStatement };

const watchedBy = (watch: DatabaseWatch, pool: pg.Pool, run: RunStatement): Access => ({
  connect: () => watch.connect(pool),
  run: async (client, text, values) => {
    try {
      return await run(client, text, values);
    } catch (error) {
      watch.noteError(error);
      throw error;
    }
  },
});

/** Runs `work` in one transaction that sees only the rows of this organization. */
export const inOrganization = <T>(db: Database, organizationId: string, work: (tx: Tx) => Promise<T>): Promise<T> =>
  inTransaction(db.transaction(), organizationId, work);

/** The same for reading, in one snapshot for all statements. */
export const inSnapshot = <T>(db: Database, organizationId: string, work: (tx: Tx) => Promise<T>): Promise<T> =>
  inTransaction(db.transaction().setIsolationLevel("repeatable read").setAccessMode("read only"), organizationId, work);

/** Not an error: ends a transaction that is meant to leave nothing. */
class RolledBack<T> {
  readonly result: T;
  constructor(result: T) {
    this.result = result;
  }
}

/** The same, but rolled back: for a preview, which runs a change and stops before saving. Refused where the commit would be. */
export async function inRolledBack<T>(db: Database, organizationId: string, work: (tx: Tx) => Promise<T>): Promise<T> {
  try {
    return await inOrganization<never>(db, organizationId, async (tx) => {
      const result = await work(tx);
      await sql`set constraints all immediate`.execute(tx);
      throw new RolledBack(result);
    });
  } catch (ended) {
    if (ended instanceof RolledBack) return ended.result;
    throw ended;
  }
}

async function inTransaction<T>(
  transaction: TransactionBuilder<DB>,
  organizationId: string,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const run = () =>
    transaction.execute(async (tx) => {
      await setOrganization(tx, organizationId);
      return work(tx);
    });
  try {
    return await run();
  } catch (error) {
    if (isOutdated(error)) return run();
    throw error;
  }
}

/** Local to the transaction, so a pooled connection never carries it to the next user. */
async function setOrganization(tx: Tx, organizationId: string): Promise<void> {
  await sql`select set_config('app.organization_id', ${organizationId}, true)`.execute(tx);
}

/** For background work: until the transaction ends, a statement may take longer than in a request. */
export async function allowLongStatements(tx: Tx, timeoutMs: number): Promise<void> {
  await sql`select set_config('statement_timeout', ${String(timeoutMs)}, true)`.execute(tx);
}

/** For work that must respond soon: until it is set again, no statement of the transaction takes longer. */
export async function limitStatements(tx: Tx, timeoutMs: number): Promise<void> {
  await sql`select set_config('statement_timeout', ${String(Math.max(1, Math.floor(timeoutMs)))}, true)`.execute(tx);
}

/**
 * For statements that read many entries of an index with all of their columns. Such an index is mostly in memory, but the planner expects
 * it on a disk and reads the table instead, which is several times as large.
 */
export async function preferIndexes(tx: Tx): Promise<void> {
  await sql`select set_config('random_page_cost', '1.1', true), set_config('jit', 'off', true)`.execute(tx);
}

/** From here on, the dispatcher's transaction acts for one organization, with the rights of a request. */
export async function actForOrganization(tx: Tx, organizationId: string): Promise<void> {
  await sql`select set_config('role', 'tallystick_app', true), set_config('app.organization_id', ${organizationId}, true)`.execute(
    tx,
  );
}

/** From here on, the same transaction acts for no organization again. */
export async function actAsDispatcher(tx: Tx): Promise<void> {
  await sql`select set_config('role', 'tallystick_dispatcher', true), set_config('app.organization_id', '', true)`.execute(
    tx,
  );
}

function withExactParameters(pool: pg.Pool, { connect, run }: Access): PostgresPool {
  return {
    options: pool.options,
    end: () => pool.end(),
    connect: async () => {
      const client = await connect();
      return {
        query: ((text: string, parameters: readonly unknown[]) =>
          run(client, text, parameters.map(toParameter))) as never,
        release: () => client.release(),
      };
    },
  };
}
