/** Compares the events of both stores, up to the copied position: their number and sum of digests, by organization, code and hour. */
import type { Clickhouse } from "../../../../platform/clickhouse/clickhouse.ts";
import { allowLongStatements, type Database, inOrganization } from "../../../../platform/postgres/database.ts";
import { findNextTime, type HourRow, listCursors, type Slice, sumHours } from "./store.ts";

export type ReconcileDeps = {
  readonly db: Database;
  readonly dispatcherDb: Database;
  readonly clickhouse: Clickhouse;
};

type Sum = { readonly count: bigint; readonly digest: bigint };

/** A difference. `hour` is null for events at positions that Postgres does not have. */
export type Difference = {
  readonly organizationId: string;
  readonly code: string | null;
  readonly hour: Temporal.Instant | null;
  readonly postgres: Sum;
  readonly clickhouse: Sum;
};

export type Reconciled = {
  readonly organizations: number;
  readonly events: bigint;
  readonly differences: Difference[];
};

const HOUR_MICROS = 3_600_000_000n;
const EARLIEST = -62_135_596_800_000_000n;
const STATEMENT_TIMEOUT_MS = 600_000;
const DIGEST_MODULUS = 2n ** 128n;
const NOTHING: Sum = { count: 0n, digest: 0n };

export async function reconcile(
  deps: ReconcileDeps,
  onDifference: (difference: Difference) => void = () => undefined,
): Promise<Reconciled> {
  const differences: Difference[] = [];
  const note = (found: Difference): void => {
    differences.push(found);
    onDifference(found);
  };
  let events = 0n;
  const cursors = await listCursors(deps.dispatcherDb);
  for (const { organizationId, positions } of cursors) {
    for await (const month of monthsOf(deps, organizationId, positions)) {
      events += month.postgres.values().reduce((sum, { count }) => sum + count, 0n);
      for (const found of compare(organizationId, month)) note(found);
    }
  }
  for (const found of await findStrangers(deps)) note(found);
  return { organizations: cursors.length, events, differences };
}

type Month = { postgres: ReadonlyMap<string, Sum>; clickhouse: ReadonlyMap<string, Sum> };

/** Month by month, without months in which neither store has events. */
async function* monthsOf(
  { db, clickhouse }: ReconcileDeps,
  organizationId: string,
  positions: readonly bigint[],
): AsyncGenerator<Month> {
  let from = EARLIEST;
  for (;;) {
    const next = await Promise.all([
      inOrganization(db, organizationId, (tx) => findNextTime(tx, organizationId, from)),
      findNextCopied(clickhouse, organizationId, from),
    ]);
    const known = next.filter((micros) => micros !== null);
    if (known.length === 0) return;
    const slice = { ...monthAround(known.reduce((one, other) => (one < other ? one : other))), positions };
    const [postgres, copied] = await Promise.all([
      inOrganization(db, organizationId, async (tx) => {
        await allowLongStatements(tx, STATEMENT_TIMEOUT_MS);
        return sumHours(tx, organizationId, slice);
      }),
      sumCopiedHours(clickhouse, organizationId, slice),
    ]);
    yield { postgres: toSums(postgres.map(fromPostgres)), clickhouse: toSums(copied) };
    from = slice.to;
  }
}

type Hour = Sum & { readonly code: string; readonly hour: bigint };

const fromPostgres = ({ code, hour, count, digest }: HourRow): Hour => ({
  code,
  hour,
  count,
  digest: BigInt(digest.toFixed()) % DIGEST_MODULUS,
});

/** The hour comes first and has no space, so no two keys are equal, whatever the code. */
const toSums = (hours: readonly Hour[]): Map<string, Sum> =>
  new Map(hours.map(({ code, hour, count, digest }) => [`${hour} ${code}`, { count, digest }]));

function* compare(organizationId: string, { postgres, clickhouse }: Month): Generator<Difference> {
  for (const key of new Set([...postgres.keys(), ...clickhouse.keys()])) {
    const [one, other] = [postgres.get(key) ?? NOTHING, clickhouse.get(key) ?? NOTHING];
    if (one.count === other.count && one.digest === other.digest) continue;
    const hour = BigInt(key.slice(0, key.indexOf(" ")));
    yield {
      organizationId,
      code: key.slice(key.indexOf(" ") + 1),
      hour: Temporal.Instant.fromEpochNanoseconds(hour * HOUR_MICROS * 1000n),
      postgres: one,
      clickhouse: other,
    };
  }
}

function monthAround(micros: bigint): { from: bigint; to: bigint } {
  const day = Temporal.Instant.fromEpochNanoseconds(micros * 1000n)
    .toZonedDateTimeISO("UTC")
    .with({ day: 1 })
    .startOfDay();
  return { from: day.epochNanoseconds / 1000n, to: day.add({ months: 1 }).epochNanoseconds / 1000n };
}

async function findNextCopied(clickhouse: Clickhouse, organizationId: string, from: bigint): Promise<bigint | null> {
  const [row] = await clickhouse.query<{ count: string; micros: string }>(
    `select count() as count, min(timestamp) as micros from events
      where organization_id = {organizationId:UUID} and timestamp >= {from:Int64}`,
    { organizationId, from: String(from) },
  );
  return row && row.count !== "0" ? BigInt(row.micros) : null;
}

async function sumCopiedHours(clickhouse: Clickhouse, organizationId: string, slice: Slice): Promise<Hour[]> {
  const shards = slice.positions.map((position, shard) => `or shard = ${shard} and position <= ${position}`);
  const rows = await clickhouse.query<{ code: string; hour: string; count: string; digest: string }>(
    `select code, intDiv(timestamp - positiveModulo(timestamp, ${HOUR_MICROS}), ${HOUR_MICROS}) as hour, count() as count,
        toString(sum(digest)) as digest
      from events
      where organization_id = {organizationId:UUID} and timestamp >= {from:Int64} and timestamp < {to:Int64}
        and (false ${shards.join(" ")})
      group by code, hour`,
    { organizationId, from: String(slice.from), to: String(slice.to) },
  );
  return rows.map(({ code, hour, count, digest }) => ({
    code,
    hour: BigInt(hour),
    count: BigInt(count),
    digest: BigInt(digest),
  }));
}

/** Events in ClickHouse beyond the last position of Postgres, or of an unknown organization. */
async function findStrangers({ clickhouse, dispatcherDb }: ReconcileDeps): Promise<Difference[]> {
  const rows = await clickhouse.query<{ organization_id: string; shard: number; last: string }>(
    "select organization_id, shard, max(position) as last from events group by organization_id, shard",
  );
  // Read afterwards: every copied event has been accepted by now.
  const known = new Map(
    (await listCursors(dispatcherDb)).flatMap(({ organizationId, shards, heads }) =>
      shards.map((shard, index) => [`${organizationId} ${shard}`, heads[index] ?? 0n]),
    ),
  );
  const strangers: Difference[] = [];
  for (const { organization_id: organizationId, shard, last } of rows) {
    const head = known.get(`${organizationId} ${shard}`) ?? 0n;
    if (BigInt(last) <= head) continue;
    const [found] = await clickhouse.query<{ count: string; digest: string }>(
      `select count() as count, toString(sum(digest)) as digest from events
        where organization_id = {organizationId:UUID} and shard = {shard:UInt16} and position > {head:UInt64}`,
      { organizationId, shard, head: String(head) },
    );
    const sum = { count: BigInt(found?.count ?? 0), digest: BigInt(found?.digest ?? 0) };
    strangers.push({ organizationId, code: null, hour: null, postgres: NOTHING, clickhouse: sum });
  }
  return strangers;
}
