/**
 * The relay's statements on ClickHouse: inserting rows, and comparing a range. Ids and positions are our own values, so they are written
 * into the statements.
 */
import type { Clickhouse } from "../../../../platform/clickhouse/clickhouse.ts";
import { copyIdentity } from "../../../../platform/clickhouse/migrate.ts";
import type { Batch, Counted } from "./gather-batch.ts";
import { INSERT_SECONDS_MAX, SEND_WITHIN_SECONDS } from "./limits.ts";
import type { ClaimedLane } from "./store.ts";

/** One block per month of receipt, whatever the size, so that the token covers all rows. */
const AS_ONE_BLOCK = {
  input_format_parallel_parsing: 0,
  max_insert_threads: "1",
  max_insert_block_size: "1000000",
  min_insert_block_size_rows: "1000000",
  min_insert_block_size_bytes: "0",
  max_partitions_per_insert_block: 0,
  max_execution_time: INSERT_SECONDS_MAX,
} as const;

export const tokenOf = ({ generation, lane, stage }: ClaimedLane, number: bigint): string =>
  `tallystick:${generation}:${lane}:${number}:${stage}`;

/** Inserts every row of the batch under its token, unless the engine's clock has passed `sendBefore` by then. */
export async function insertBatch(
  clickhouse: Clickhouse,
  { text }: Batch,
  { token, sendBefore, signal }: { token: string; sendBefore: string; signal: AbortSignal },
): Promise<void> {
  if (text === "") return;
  // One row is enough for all rows on the same server. On a cluster each shard gets some of them.
  const beginnings = clickhouse.cluster === null ? /^\{/ : /^\{/gm;
  const rows = text.replace(beginnings, `{"send_before":"${sendBefore}",`);
  await clickhouse.insert({ table: "relay_in", rows, token }, { signal, settings: AS_ONE_BLOCK });
}

/** For each range that differs in ClickHouse: the missing positions. */
export async function findMissing(clickhouse: Clickhouse, ranges: readonly Counted[]): Promise<Map<Counted, bigint[]>> {
  const missing = new Map<Counted, bigint[]>();
  for (const range of ranges) {
    if (range.count === 0) continue;
    const [has] = await clickhouse.query<{ count: string; positions: string; digest: string }>(
      `select count() as count, uniqExact(position) as positions, toString(sum(digest)) as digest from events where ${within(range)}`,
    );
    if (has && Number(has.count) === range.count && BigInt(has.digest) === range.digest) continue;
    if (!has || Number(has.count) >= range.count || has.count !== has.positions)
      throw new Error(
        `ClickHouse has duplicate or unknown events of organization ${range.organizationId} in shard ${range.shard} up to position ${range.upTo}: run "npm run usage -- rebuild"`,
      );
    missing.set(range, await findAbsent(clickhouse, range));
  }
  return missing;
}

async function findAbsent(clickhouse: Clickhouse, range: Counted): Promise<bigint[]> {
  const rows = await clickhouse.query<{ position: string }>(`select position from events where ${within(range)}`);
  const present = new Set(rows.map(({ position }) => position));
  const all =
    range.missing ??
    Array.from({ length: Number(range.upTo - range.after) }, (_, index) => range.after + BigInt(index) + 1n);
  return all.filter((position) => !present.has(String(position)));
}

/** Names the months of receipt, so that ClickHouse skips the other partitions. */
function within({ organizationId, shard, after, upTo, missing, receivedFrom, receivedTo }: Counted): string {
  const among = missing === null ? "" : ` and position in (${missing.join(", ")})`;
  return (
    `organization_id = '${organizationId}' and shard = ${shard} and position > ${after} and position <= ${upTo}${among}` +
    ` and received_at >= '${toText(receivedFrom)}' and received_at <= '${toText(receivedTo)}'`
  );
}

const toText = (instant: Temporal.Instant | null, digits: 3 | 6 = 6): string =>
  (instant?.toString({ fractionalSecondDigits: digits }) ?? "").replace("T", " ").replace("Z", "");

/** The identity and the clock of the engine. */
export type Engine = {
  /**
   * For a send that begins now: the latest time at which the engine accepts it, rounded down to be safe; and the copy that receives it.
   */
  readonly prepare: () => Promise<{ sendBefore: string; copyId: string }>;
  /** Changes when the tables are rebuilt: then nothing that was sent before is there. */
  readonly copyId: () => Promise<string>;
  readonly uptimeSeconds: () => Promise<number>;
  /** Called after a failed send: the cached values may be wrong. */
  readonly forget: () => void;
};

const ASK_EVERY_MS = 20_000;

export function createEngine(clickhouse: Clickhouse): Engine {
  let known: { engineMs: number; at: number; copyId: string } | undefined;
  const askCopyId = async (): Promise<string> => (await copyIdentity(clickhouse)) ?? "none";
  const ask = async () => {
    const copyId = await askCopyId();
    const [row] = await clickhouse.query<{ now: string }>("select toUnixTimestamp64Milli(now64(3)) as now");
    // Read after the response: a process that was frozen in between assumes an earlier time, which is safe.
    return { copyId, engineMs: Number(row?.now), at: performance.now() };
  };
  return {
    prepare: async () => {
      if (!known || performance.now() - known.at > ASK_EVERY_MS) known = await ask();
      const { copyId, engineMs, at } = known;
      const until = Math.floor(engineMs + performance.now() - at) + 1000 * SEND_WITHIN_SECONDS;
      return { copyId, sendBefore: toText(Temporal.Instant.fromEpochMilliseconds(until), 3) };
    },
    copyId: askCopyId,
    uptimeSeconds: async () => {
      const [row] = await clickhouse.query<{ uptime: number }>("select toUInt32(uptime()) as uptime");
      return row?.uptime ?? 0;
    },
    forget: () => {
      known = undefined;
    },
  };
}
