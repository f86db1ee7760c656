/** Builds a batch: its ranges of events, and the text of their rows. The same ranges always give the same text. */
import { actAsDispatcher, actForOrganization, type Tx } from "../../../../platform/postgres/database.ts";
import type { Derivation, Deriving } from "./derivation.ts";
import { BYTES_MAX, FIRST_PIECE_ROWS, ORGANIZATIONS_MAX, PIECE_ROWS_MAX, ROWS_MAX } from "./limits.ts";
import {
  type AheadRow,
  type ClaimedLane,
  type DerivationsByCode,
  findAhead,
  findRanges,
  openBatch,
  type Piece,
  type Range,
  readPiece,
} from "./store.ts";

/** A range with the totals of its rows. */
export type Counted = Range & {
  readonly count: number;
  readonly digest: bigint;
  readonly receivedFrom: Temporal.Instant | null;
  readonly receivedTo: Temporal.Instant | null;
};

export type Batch = {
  readonly ranges: readonly Counted[];
  /** The rows to send; empty if none is missing. */
  readonly text: string;
  readonly rows: number;
  /** One block per month of receipt; the engine remembers one token for each. */
  readonly blocks: number;
};

/**
 * In the transaction of the claim: takes waiting events, organizations in turn, and stores them as the open batch. Undefined if nothing
 * waits.
 */
export async function gatherBatch(
  tx: Tx,
  claimed: ClaimedLane,
  { requested, deriving, copyId }: { requested: string | null; deriving: Deriving; copyId: string },
): Promise<Batch | undefined> {
  const ahead = await findAhead(tx, claimed.lane, { requested, limit: ORGANIZATIONS_MAX });
  if (ahead.length === 0) return undefined;
  const derivations = await deriving.derivationsOf(
    tx,
    ahead.map(({ organization_id }) => organization_id),
  );
  const reader = createReader(tx);
  const ranges: Counted[] = [];
  for (const range of ahead.flatMap((row) => toRanges(row, derivations))) {
    if (reader.isFull()) break;
    ranges.push(await reader.readUpTo(range));
  }
  await actAsDispatcher(tx);
  await openBatch(tx, claimed, { ranges, copyId });
  return toBatch(ranges.sort(inOrder), reader.texts);
}

/** Reads the open batch again. */
export async function readBatch(tx: Tx, { lane }: ClaimedLane): Promise<Batch> {
  const reader = createReader(tx);
  const ranges: Counted[] = [];
  for (const range of await findRanges(tx, lane)) ranges.push(await reader.readAll(range));
  await actAsDispatcher(tx);
  return toBatch(ranges, reader.texts);
}

const inOrder = (one: Range, other: Range): number =>
  one.organizationId < other.organizationId
    ? -1
    : Number(one.organizationId > other.organizationId) || one.shard - other.shard;

/** In the order of the ranges, regardless of the order of reading. */
function toBatch(ranges: readonly Counted[], texts: ReadonlyMap<string, readonly string[]>): Batch {
  const months = new Set(
    ranges.flatMap(({ receivedFrom, receivedTo }) => [monthOf(receivedFrom), monthOf(receivedTo)]),
  );
  months.delete("");
  return {
    ranges,
    text: ranges.flatMap((range) => texts.get(keyOf(range)) ?? []).join("\n"),
    rows: ranges.reduce((sum, { count }) => sum + count, 0),
    blocks: Math.max(1, months.size),
  };
}

const monthOf = (instant: Temporal.Instant | null): string => instant?.toString().slice(0, 7) ?? "";
const keyOf = ({ organizationId, shard }: Range): string => `${organizationId} ${shard}`;

function toRanges(
  { organization_id: organizationId, positions, shards, heads }: AheadRow,
  all: readonly Derivation[],
): Range[] {
  const own = all.filter((derivation) => derivation.organizationId === organizationId);
  const derivations: DerivationsByCode = Object.fromEntries(
    [...Map.groupBy(own, ({ code }) => code)].map(([code, list]) => [
      code,
      list.map(({ id, field, names }) => ({ id, field, names })),
    ]),
  );
  return shards.flatMap((shard, index) => {
    const after = positions[shard] ?? 0n;
    const upTo = heads[index] ?? 0n;
    return upTo > after ? [{ organizationId, shard, after, upTo, missing: null, derivations }] : [];
  });
}

type Reader = {
  texts: Map<string, string[]>;
  isFull: () => boolean;
  readUpTo: (range: Range) => Promise<Counted>;
  readAll: (range: Range) => Promise<Counted>;
};

/** Chooses the size of each piece by the average row size so far. Acts for the organization whose events it reads. */
function createReader(tx: Tx): Reader {
  const texts = new Map<string, string[]>();
  let rows = 0;
  let bytes = 0;
  let actsFor = "";
  const isFull = (): boolean => rows >= ROWS_MAX || bytes >= BYTES_MAX;
  const pieceRows = (room: { rows: number; bytes: number }): number => {
    const hoped = rows === 0 ? FIRST_PIECE_ROWS : Math.ceil(room.bytes / (bytes / rows));
    return Math.max(1, Math.min(PIECE_ROWS_MAX, hoped, room.rows));
  };
  const read = async (range: Range, isBounded: boolean): Promise<Counted> => {
    if (actsFor !== range.organizationId) await actForOrganization(tx, range.organizationId);
    actsFor = range.organizationId;
    const pieces: Piece[] = [];
    let after = range.after;
    while (after < range.upTo && !(isBounded && isFull())) {
      const room = { rows: ROWS_MAX - rows, bytes: BYTES_MAX - bytes };
      const limit = pieceRows(isBounded ? room : { rows: ROWS_MAX, bytes: BYTES_MAX });
      const piece = await readPiece(tx, { ...range, after }, limit);
      // Missing events were dropped with their month, so nothing is left to copy.
      if (!piece) {
        after = range.upTo;
        break;
      }
      pieces.push(piece);
      after = piece.last;
      rows += piece.count;
      bytes += piece.text.length;
    }
    texts.set(
      keyOf(range),
      pieces.map(({ text }) => text),
    );
    return { ...range, upTo: isBounded ? after : range.upTo, ...sumOf(pieces) };
  };
  return { texts, isFull, readUpTo: (range) => read(range, true), readAll: (range) => read(range, false) };
}

const DIGEST_MODULUS = 2n ** 128n;

const sumOf = (pieces: readonly Piece[]) => ({
  count: pieces.reduce((sum, { count }) => sum + count, 0),
  digest: pieces.reduce((sum, { digest }) => sum + BigInt(digest.toFixed()), 0n) % DIGEST_MODULUS,
  receivedFrom: pieces.reduce<Temporal.Instant | null>(
    (least, { received_from }) => earlier(least, received_from),
    null,
  ),
  receivedTo: pieces.reduce<Temporal.Instant | null>((most, { received_to }) => later(most, received_to), null),
});

const earlier = (one: Temporal.Instant | null, other: Temporal.Instant): Temporal.Instant =>
  one && Temporal.Instant.compare(one, other) < 0 ? one : other;
const later = (one: Temporal.Instant | null, other: Temporal.Instant): Temporal.Instant =>
  one && Temporal.Instant.compare(one, other) > 0 ? one : other;
