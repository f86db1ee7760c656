/**
 * Rebuilds ClickHouse from Postgres while the service runs. All data is taken out of use, deleted, and sent again from the first
 * position, by this command and the workers together. Until a queue has caught up, usage up to a snapshot waits, and other usage is read
 * from Postgres. If the command stops, running it again continues.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { Clickhouse } from "../../../../platform/clickhouse/clickhouse.ts";
import type { Database } from "../../../../platform/postgres/database.ts";
import { type Relay, SETTLE_SECONDS, sumProgress } from "../relay/index.ts";
import { beginEmptying, restartLanes } from "./store.ts";

export type RebuildDeps = {
  readonly dispatcherDb: Database;
  readonly clickhouse: Clickhouse;
  readonly relay: Relay;
};

export type RebuildOptions = {
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
  /** How long a reader may still read the old data. The command waits that long. */
  readonly readSeconds?: number;
  /** How long a send may still be in progress. The command waits that long. */
  readonly settleSeconds?: number;
};

/** A request waits at most a minute for ClickHouse. */
const READ_SECONDS = 75;
const SAY_EVERY_MS = 2000;

export async function rebuild(deps: RebuildDeps, options: RebuildOptions): Promise<{ events: bigint }> {
  await empty(deps, options);
  return refill(deps, options);
}

async function empty({ dispatcherDb, clickhouse, relay }: RebuildDeps, options: RebuildOptions): Promise<void> {
  const { say, signal, readSeconds = READ_SECONDS, settleSeconds = SETTLE_SECONDS } = options;
  const { lastSentSeconds } = await beginEmptying(dispatcherDb);
  const sendingSeconds = lastSentSeconds === null ? 0 : settleSeconds - lastSentSeconds;
  const waitSeconds = Math.ceil(Math.max(0, readSeconds, sendingSeconds));
  say(`stopped sending; emptying the tables in ${waitSeconds} s, when every read and send has ended`);
  await pause(1000 * waitSeconds, undefined, { signal });
  for (const table of await findTables(clickhouse)) {
    const onCluster = clickhouse.cluster === null ? "" : ` on cluster '${clickhouse.cluster}'`;
    await clickhouse.command(`truncate table ${table}${onCluster}`);
    say(`${table} is empty`);
  }
  await dispatcherDb.transaction().execute(async (tx) => {
    const organizationIds = await restartLanes(tx);
    await relay.deriving.restartDerivations(tx, organizationIds);
  });
}

/** Every table with rows of organizations. */
async function findTables(clickhouse: Clickhouse): Promise<string[]> {
  const rows = await clickhouse.query<{ name: string }>(
    `select name from system.tables where database = currentDatabase() and engine like '%MergeTree' and name in (
        select table from system.columns where database = currentDatabase() and name = 'organization_id'
      ) order by name`,
  );
  return rows.map(({ name }) => name);
}

async function refill(
  { dispatcherDb, relay }: RebuildDeps,
  { say, signal }: RebuildOptions,
): Promise<{ events: bigint }> {
  const { accepted: goal } = await sumProgress(dispatcherDb);
  const begin = performance.now();
  let saidAt = begin;
  let { relayed } = await sumProgress(dispatcherDb);
  while (relayed < goal) {
    signal.throwIfAborted();
    if (!(await relay.step())) await pause(100, undefined, { signal });
    ({ relayed } = await sumProgress(dispatcherDb));
    if (performance.now() - saidAt < SAY_EVERY_MS && relayed < goal) continue;
    saidAt = performance.now();
    const rate = Math.round(Number(relayed) / ((saidAt - begin) / 1000));
    say(`${relayed} of ${goal} events, ${rate}/s`);
  }
  return { events: relayed };
}
