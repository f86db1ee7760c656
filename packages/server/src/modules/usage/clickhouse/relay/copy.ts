/** What the relay asks of ClickHouse: to take rows, and what it has of a range. Ids and positions are ours and written into the statements. */
import type { Clickhouse } from "../../../../platform/clickhouse/clickhouse.ts";
import { copyIdentity } from "../../../../platform/clickhouse/migrate.ts";
import type { Batch, Counted } from "./gather-batch.ts";
import { INSERT_SECONDS_MAX, SEND_WITHIN_SECONDS } from "./limits.ts";
import type { ClaimedLane } from "./store.ts";

/** One block whatever the size, so that the token stands for all rows: as many blocks as there are months of receipt, no more. */
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

/** Every row of the batch, under its token, unless the engine's clock has passed `sendBefore` when it gets to it. */
export async function insertBatch(
  clickhouse: Clickhouse,
  { text }: Batch,
  { token, sendBefore, signal }: { token: string; sendBefore: string; signal: AbortSignal },
): Promise<void> {
  if (text === "") return;
  // One row says it for all that go to the same server; on a cluster each shard gets some of them.
  const beginnings = clickhouse.cluster === null ? /^\{/ : /^\{/gm;
  const rows = text.replace(beginnings, `{"send_before":"${sendBefore}",`);
  await clickhouse.insert({ table: "relay_in", rows, token }, { signal, settings: AS_ONE_BLOCK });
}

/** What ClickHouse has of each range that differs from what it should have: the positions that are missing. */
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
        `ClickHouse has events of organization ${range.organizationId} in shard ${range.shard} up to position ${range.upTo} twice, or others: run "npm run usage -- rebuild"`,
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

/** The months of receipt are named, so that others are not even looked at. */
function within({ organizationId, shard, after, upTo, missing, receivedFrom, receivedTo }: Counted): string {
  const among = missing === null ? "" : ` and position in (${missing.join(", ")})`;
  return (
    `organization_id = '${organizationId}' and shard = ${shard} and position > ${after} and position <= ${upTo}${among}` +
    ` and received_at >= '${toText(receivedFrom)}' and received_at <= '${toText(receivedTo)}'`
  );
}

const toText = (instant: Temporal.Instant | null, digits: 3 | 6 = 6): string =>
  (instant?.toString({ fractionalSecondDigits: digits }) ?? "").replace("T", " ").replace("Z", "");

/** Which engine it is, and what time it has. */
export type Engine = {
  /** For a send that begins now: until when the engine takes it, rather too early than too late; and in which copy it ends up. */
  readonly prepare: () => Promise<{ sendBefore: string; copyId: string }>;
  /** Another one after the tables were made anew: then nothing that was sent is there. */
  readonly copyId: () => Promise<string>;
  readonly uptimeSeconds: () => Promise<number>;
  /** After a send that failed: what was known may be wrong. */
  readonly forget: () => void;
};

const ASK_EVERY_MS = 20_000;

export function createEngine(clickhouse: Clickhouse): Engine {
  let known: { engineMs: number; at: number; copyId: string } | undefined;
  const askCopyId = async (): Promise<string> => (await copyIdentity(clickhouse)) ?? "none";
  const ask = async () => {
    const copyId = await askCopyId();
    const [row] = await clickhouse.query<{ now: string }>("select toUnixTimestamp64Milli(now64(3)) as now");
    // Read when the answer is there: whoever was frozen in between believes that it is earlier than it is.
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
