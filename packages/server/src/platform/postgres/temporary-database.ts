/** A migrated, temporary database that leaves nothing behind: for the sandbox and for tests. */
import { randomBytes } from "node:crypto";
import pg from "pg";
import { startEmbeddedPostgres } from "./embedded.ts";
import { migrate } from "./migrate.ts";

export type TemporaryDatabase = { url: string; remove: () => Promise<void> };

/** The data is deleted with the process, so it need not survive a power failure. */
export const FAST = ["fsync=off", "synchronous_commit=off", "full_page_writes=off", "shared_buffers=256MB"];

/** On the server of `serverUrl`, or on a server started for it. */
export async function createTemporaryDatabase(serverUrl: string | undefined): Promise<TemporaryDatabase> {
  const server = serverUrl === undefined ? await startEmbeddedPostgres({ settings: FAST }) : undefined;
  const base = serverUrl ?? server?.url ?? "";
  const name = `tallystick_${randomBytes(8).toString("hex")}`;
  const remove = async (): Promise<void> => {
    if (server) await server.stop();
    else await runOn(base, `drop database if exists ${name} with (force)`);
  };
  try {
    await runOn(base, `create database ${name}`);
    const url = withDatabase(base, name);
    await migrate(url);
    return { url, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

export function withDatabase(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.toString();
}

export async function runOn<Row extends pg.QueryResultRow>(
  url: string,
  statement: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(statement, [...values])).rows;
  } finally {
    await client.end();
  }
}
