/** The ClickHouse client of this installation: exact numbers, time limits, and no automatic retries. */
import { Readable } from "node:stream";
import { type ClickHouseClient, ClickHouseError, ClickHouseLogLevel, createClient } from "@clickhouse/client";
import { ClickhouseRefused, ClickhouseUnreachable } from "./errors.ts";

export type ClickhouseConfig = {
  /** With the database as its path: `http://user:password@host:8123/tallystick`. */
  readonly url: string;
  /** The cluster's name in the server's configuration; null for a single server. */
  readonly cluster: string | null;
  readonly timeoutMs?: number;
  readonly connectionsMax?: number;
};

type Parameters = Readonly<Record<string, unknown>>;
type Options = { readonly signal?: AbortSignal; readonly settings?: Readonly<Record<string, string | number>> };

export type Clickhouse = {
  readonly database: string;
  readonly cluster: string | null;
  /** Decimals and numbers of more than 32 bits are returned as text, so that no digit is lost. */
  readonly query: <Row>(statement: string, parameters?: Parameters, options?: Options) => Promise<Row[]>;
  /** For statements without a result. */
  readonly command: (statement: string, parameters?: Parameters, options?: Options) => Promise<void>;
  /**
   * Rows as objects, or as text in JSONEachRow. The same rows with the same token are inserted once, into the table and everything derived
   * from it, as long as the server remembers the token.
   */
  readonly insert: (rows: Rows, options?: Options) => Promise<void>;
  readonly close: () => Promise<void>;
};

type Rows = { readonly table: string; readonly rows: readonly object[] | string; readonly token: string };

const DEFAULT_DATABASE = "tallystick";
const TIMEOUT_MS = 60_000;

export function createClickhouse(config: ClickhouseConfig): Clickhouse {
  const client = connect(config, databaseOf(config.url));
  return {
    database: databaseOf(config.url),
    cluster: config.cluster,
    query: <Row>(statement: string, parameters: Parameters = {}, options: Options = {}) =>
      naming(async () => {
        const answer = await client.query({ ...requestOf(statement, parameters, options), format: "JSONEachRow" });
        return await answer.json<Row>();
      }),
    command: (statement, parameters = {}, options = {}) =>
      naming(async () => {
        await client.command(requestOf(statement, parameters, options));
      }),
    insert: (rows, options = {}) => naming(() => insertInto(client, rows, options)),
    close: () => client.close(),
  };
}

/** On a cluster, runs on each of its servers. */
export const createDatabase = (config: ClickhouseConfig): Promise<void> =>
  commandWithoutDatabase(config, `create database if not exists ${databaseOf(config.url)}`);

export const dropDatabase = (config: ClickhouseConfig): Promise<void> =>
  commandWithoutDatabase(config, `drop database if exists ${databaseOf(config.url)}`);

/** A client with a database cannot connect before that database exists. */
const commandWithoutDatabase = (config: ClickhouseConfig, statement: string): Promise<void> =>
  naming(async () => {
    const client = connect(config, "default");
    try {
      await client.command({
        query: config.cluster === null ? statement : `${statement} on cluster '${config.cluster}'`,
      });
    } finally {
      await client.close();
    }
  });

function databaseOf(url: string): string {
  const name = new URL(url).pathname.slice(1) || DEFAULT_DATABASE;
  if (!/^\w+$/.test(name)) throw new Error(`${name} is not a name for a database: letters, digits and _ only`);
  return name;
}

function connect(config: ClickhouseConfig, database: string): ClickHouseClient {
  const url = new URL(config.url);
  url.pathname = "/";
  return createClient({
    url,
    database,
    application: "tallystick",
    request_timeout: config.timeoutMs ?? TIMEOUT_MS,
    max_open_connections: config.connectionsMax ?? 10,
    // Rows are not compressed: compressing them takes longer than reading them from Postgres.
    compression: { request: false, response: true },
    // Less than the three seconds after which old servers close an idle connection, so that no request uses a closed one.
    keep_alive: { enabled: true, idle_socket_ttl: 2500 },
    // Failures are thrown to the caller, which knows whether they matter. Their statements may contain data that must not be logged.
    log: { level: ClickHouseLogLevel.OFF },
    clickhouse_settings: {
      output_format_json_quote_64bit_integers: 1,
      output_format_json_quote_decimals: 1,
      ...(config.cluster === null ? {} : CLUSTER_SETTINGS),
    },
  });
}

/**
 * An acknowledged insert is on most replicas of its shard, and the next query sees it from any replica. The price is one insert at a time:
 * a concurrent insert is refused, and sent again with its token.
 */
const CLUSTER_SETTINGS = {
  distributed_foreground_insert: 1,
  insert_quorum: "auto",
  insert_quorum_parallel: 0,
  select_sequential_consistency: "1",
  optimize_skip_unused_shards: 1,
} as const;

const requestOf = (query: string, parameters: Parameters, { signal, settings }: Options) => ({
  query,
  query_params: { ...parameters },
  ...(signal ? { abort_signal: signal } : {}),
  ...(settings ? { clickhouse_settings: { ...settings } } : {}),
});

async function insertInto(client: ClickHouseClient, { table, rows, token }: Rows, options: Options): Promise<void> {
  const text = typeof rows === "string" ? rows : rows.map((row) => JSON.stringify(row)).join("\n");
  if (text === "") return;
  const { stream } = await client.exec({
    ...requestOf(`insert into ${table} format JSONEachRow`, {}, options),
    values: Readable.from([Buffer.from(text)]),
    clickhouse_settings: {
      insert_deduplication_token: token,
      deduplicate_blocks_in_dependent_materialized_views: 1,
      // With these settings, the server would respond before the rows are inserted.
      async_insert: 0,
      wait_end_of_query: 1,
      ...options.settings,
    },
  });
  stream.resume();
}

async function naming<T>(done: () => Promise<T>): Promise<T> {
  try {
    return await done();
  } catch (error) {
    if (error instanceof ClickHouseError)
      throw new ClickhouseRefused(error.message, { code: Number(error.code), type: error.type ?? "", cause: error });
    throw new ClickhouseUnreachable(`ClickHouse did not answer: ${reasonOf(error)}`, { cause: error });
  }
}

/** Node tries each address of a host, and its combined error has no text. */
const reasonOf = (error: unknown): string => {
  const { message, code } = error as { message?: string; code?: string };
  return message || code || String(error);
};
