/** The events of the campaign: each follows from the seed and its number, so that what must come out is known without any store. */
import { hash } from "node:crypto";

export const CHUNK_EVENTS = 500;
export const ORGANIZATIONS = 8;
export const CODES = ["calls", "storage", 'it\'s "odd" \\ é'] as const;
const SUBSCRIPTIONS = 7;
const SHARDS = 4;
/** Around the end of a year. So few hours that there are several events in each of them, or no rollup would add them up. */
const FIRST_SECOND = 1_704_060_000n;
const SECONDS = 4 * 3_600;

export type PlannedEvent = {
  subscription: string;
  transaction: string;
  code: string;
  micros: bigint;
  /** In hundredths. */
  amount: number;
  digest: bigint;
};

/** Events that come in one request, of one organization. */
export type Chunk = { organization: number; shard: number; isOfLastMonth: boolean; events: PlannedEvent[] };

export function planChunk(seed: number, chunk: number): Chunk {
  const first = chunk * CHUNK_EVENTS;
  return {
    organization: chunk % ORGANIZATIONS,
    shard: Math.floor(chunk / ORGANIZATIONS) % SHARDS,
    // Batches hold events of two months of receipt, so that one insert makes two parts of a table.
    isOfLastMonth: chunk % 3 === 0,
    events: Array.from({ length: CHUNK_EVENTS }, (_, index) => planEvent(seed, first + index)),
  };
}

function planEvent(seed: number, number: number): PlannedEvent {
  const bits = hash("sha256", `${seed}:${number}`, "buffer");
  return {
    subscription: `subscription ${number % SUBSCRIPTIONS}`,
    transaction: `t${number}`,
    code: CODES[bits.readUInt8(31) % CODES.length] ?? "",
    micros: (FIRST_SECOND + BigInt(bits.readUInt32BE(24) % SECONDS)) * 1_000_000n + BigInt(bits.readUInt16BE(28)),
    amount: bits.readUInt16BE(20) - 20_000,
    digest: bits.readBigUInt64BE(0) * 2n ** 64n + bits.readBigUInt64BE(8),
  };
}

/** What the events of an organization and code come to. */
export type Sums = { count: bigint; digest: bigint; amount: bigint };

/** By "organization code". */
export function planSums(seed: number, chunks: number): Map<string, Sums> {
  const sums = new Map<string, Sums>();
  for (let number = 0; number < chunks; number++) {
    const { organization, events } = planChunk(seed, number);
    for (const { code, digest, amount } of events) {
      const before = sums.get(`${organization} ${code}`) ?? { count: 0n, digest: 0n, amount: 0n };
      sums.set(`${organization} ${code}`, {
        count: before.count + 1n,
        digest: (before.digest + digest) % 2n ** 128n,
        amount: before.amount + BigInt(amount),
      });
    }
  }
  return sums;
}
