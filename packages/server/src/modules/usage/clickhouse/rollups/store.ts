/** All SQL on derivations in Postgres, and on their cells in ClickHouse. */
import { sql } from "kysely";
import { failedAttempt } from "../../../../jobs/backoff.ts";
import type { Clickhouse } from "../../../../platform/clickhouse/clickhouse.ts";
import { EXACT_SETTINGS } from "../../../../platform/clickhouse/statement.ts";
import type { Database, Tx } from "../../../../platform/postgres/database.ts";

import type { Cut } from "../../event-store.ts";
import type { Derivation } from "./derivation.ts";

export type State = "wanted" | "building" | "live" | "refused" | "retired";

export type DerivationRow = {
  organization_id: string;
  id: string;
  code: string;
  field: string;
  names: string[];
  asked_for: string;
  asked_at: Temporal.Instant;
  state: State;
  since: bigint[] | null;
  derived_through: Temporal.PlainDate | null;
  chunk_begun_at: Temporal.Instant | null;
};

const COLUMNS = [
  "organization_id",
  "id",
  "code",
  "field",
  "names",
  "asked_for",
  "asked_at",
  "state",
  "since",
  "derived_through",
  "chunk_begun_at",
] as const;

export const fromRow = ({ organization_id: organizationId, id, code, field, names }: DerivationRow): Derivation => ({
  organizationId,
  id,
  code,
  field,
  names,
});

/** Derivations whose cells include all events in ClickHouse. */
export const findLive = (tx: Tx, organizationId: string, codes: readonly string[]): Promise<DerivationRow[]> =>
  tx
    .selectFrom("rollup_derivations")
    .select(COLUMNS)
    .where("organization_id", "=", organizationId)
    .where("code", "in", codes)
    .where("state", "=", "live")
    .execute() as Promise<DerivationRow[]>;

/** For the dispatcher: the derivations that the relay sends with the rows of these organizations, always in the same order. */
export const findCarried = (tx: Tx, organizationIds: readonly string[]): Promise<DerivationRow[]> =>
  tx
    .selectFrom("rollup_derivations")
    .select(COLUMNS)
    .where("organization_id", "in", organizationIds)
    .where("state", "in", ["building", "live"])
    .orderBy("id")
    .execute() as Promise<DerivationRow[]>;

export type Request = Omit<Derivation, "id"> & { readonly requestedFor: string };

/** Inserts a request unless an equal one exists, or the metric already has `countMax`. */
export async function insertRequest(
  tx: Tx,
  { organizationId, code, field, names, requestedFor }: Request,
  { id, now, readyAt, countMax }: { id: string; now: Temporal.Instant; readyAt: Temporal.Instant; countMax: number },
): Promise<void> {
  await sql`
    insert into rollup_derivations (organization_id, id, code, field, names, asked_for, asked_at, state, created_at, ready_at)
    select ${organizationId}, ${id}, ${code}, ${field}, ${names}::text[], ${requestedFor}, ${now}, 'wanted', ${now}, ${readyAt}
    where ${countMax}::integer > (
      select count(*) from rollup_derivations
      where organization_id = ${organizationId} and code = ${code} and field = ${field} and state in ('wanted', 'building', 'live')
    )
    on conflict (organization_id, code, field, names) where state <> 'retired' do nothing`.execute(tx);
}

export async function noteRequested(tx: Tx, organizationId: string, ids: readonly string[], now: Temporal.Instant) {
  await tx
    .updateTable("rollup_derivations")
    .set({ asked_at: now })
    .where("organization_id", "=", organizationId)
    .where("id", "in", ids)
    .execute();
}

/** Over all organizations, for the dispatcher: the next derivation with work to do. Others leave it alone until the lease ends. */
export async function claimNext(
  dispatcherDb: Database,
  { now, until }: { now: Temporal.Instant; until: Temporal.Instant },
): Promise<DerivationRow | undefined> {
  const { rows } = await sql<DerivationRow>`
    update rollup_derivations set ready_at = ${until}
    where (organization_id, id) = (
      select organization_id, id from rollup_derivations where ready_at <= ${now} order by ready_at limit 1 for update skip locked
    )
    returning ${sql.join(COLUMNS.map((column) => sql.ref(column)))}`.execute(dispatcherDb);
  return rows[0];
}

export async function postpone(
  dispatcherDb: Database,
  { organization_id, id }: DerivationRow,
  { now, error }: { now: Temporal.Instant; error: string },
): Promise<void> {
  await dispatcherDb
    .updateTable("rollup_derivations")
    .set(failedAttempt({ now, error, secondsMax: 60 }))
    .where("organization_id", "=", organization_id)
    .where("id", "=", id)
    .execute();
}

export type Change = {
  readonly state?: State;
  readonly since?: Cut;
  readonly derived_through?: Temporal.PlainDate;
  readonly chunk_begun_at?: Temporal.Instant | null;
  readonly ready_at: Temporal.Instant;
};

/** Changes the row only if it is still as it was read. Returns false if another worker changed it first. */
export async function changeSeen(
  tx: Tx,
  organizationId: string,
  seen: DerivationRow,
  { since, ...change }: Change,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("rollup_derivations")
    .set({
      ...change,
      ...(since ? { since: sql<bigint[]>`${since}::bigint[]` } : {}),
      attempts: 0,
      last_error: null,
    })
    .where("organization_id", "=", organizationId)
    .where("id", "=", seen.id)
    .where("state", "=", seen.state)
    .where(sql<boolean>`derived_through is not distinct from ${seen.derived_through}::date`)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Takes the derivations of the organizations out of use, and returns them. */
export const retire = (
  tx: Tx,
  organizationIds: readonly string[],
  { id, readyAt }: { id: string | null; readyAt: Temporal.Instant },
): Promise<DerivationRow[]> =>
  tx
    .updateTable("rollup_derivations")
    .set({ state: "retired", chunk_begun_at: null, ready_at: readyAt })
    .where("organization_id", "in", organizationIds)
    .where("state", "in", ["wanted", "building", "live"])
    .$if(id !== null, (query) => query.where("id", "=", id))
    .returning(COLUMNS)
    .execute() as Promise<DerivationRow[]>;

export async function forget(tx: Tx, organizationId: string, id: string): Promise<void> {
  await tx
    .deleteFrom("rollup_derivations")
    .where("organization_id", "=", organizationId)
    .where("id", "=", id)
    .where("state", "in", ["retired", "refused"])
    .execute();
}

/** Sums as ClickHouse writes them: digits as text. */
export type CellRow = {
  is_carried: 0 | 1;
  dimensions: string[];
  seen: string;
  counted: string;
  unfit: string;
  digest: string;
  total: string;
  largest: string | null;
};

const HOUR_MICROSECONDS = 3_600_000_000;

/** Enough events to estimate how many share a cell. */
const SAMPLE_EVENTS = 1_000_000;

/** Overrides the profile of the server. */
const EXACTLY = { settings: EXACT_SETTINGS };

/**
 * The value of an event, and its cell. The expressions equal those of the view that the relay fills; a test compares them. A value with
 * more digits might overflow the sum in a Decimal(76, 18). It is counted as unfit, and then the cells are not used.
 */
export const DERIVED = `
  digest as event_digest, toYYYYMM(received_at) as received_month,
  intDiv(timestamp - positiveModulo(timestamp, ${HOUR_MICROSECONDS}), ${HOUR_MICROSECONDS}) as hour,
  properties[field] as text,
  (field = '' or match(text, '^-?0{0,6}[0-9]{1,18}([.][0-9]{1,18})?$')) as fits,
  (fits or match(text, '^-?0*[0-9]{1,18}([.][0-9]+)?$')) as is_number,
  toDecimal256OrZero(text, 18) as value,
  arrayMap(name -> if(mapContains(properties, name), concat('=', properties[name]), ''), names) as dimensions`;

export const FIGURES = `
  count() as seen, sum(event_digest) as seen_digest, countIf(fits) as counted, countIf(is_number and not fits) as unfit,
  sumIf(event_digest, fits) as digest, sumIf(value, fits) as total, maxOrNullIf(value, fits) as largest,
  max(position) as last_position`;

/** Only positions up to the snapshot. A shard that is not in the snapshot has none. */
const upTo = (cut: Cut, column: "position" | "last_position"): string =>
  `(${cut.map((position, shard) => `shard = ${shard} and ${column} <= ${position}`).join(" or ") || "false"})`;

/** `from` is inclusive, `to` exclusive. */
export type Span = readonly [from: bigint, to: bigint];

const within = (column: "hour" | "timestamp", spans: readonly Span[]): string =>
  `(${spans.map(([from, to]) => `${column} >= ${from} and ${column} < ${to}`).join(" or ") || "false"})`;

export type CellScope = {
  readonly derivation: Derivation;
  readonly externalSubscriptionId: string;
  readonly cut: Cut;
};

const parametersOf = ({ derivation, externalSubscriptionId }: CellScope) => ({
  organization_id: derivation.organizationId,
  derivation_id: derivation.id,
  external_subscription_id: externalSubscriptionId,
  code: derivation.code,
  field: derivation.field,
  names: [...derivation.names],
});

/**
 * The sums of the cells of these hours, and the hours with an event beyond the snapshot. Those have no sums, and `late_hour` is set. One
 * statement reads the table once, so that an hour that changes meanwhile is counted one way or the other.
 */
export const sumCells = (
  clickhouse: Clickhouse,
  scope: CellScope,
  { hours, firstHour }: { hours: readonly Span[]; firstHour: bigint },
): Promise<(CellRow & { late_hour: string | null })[]> =>
  clickhouse.query(
    `select if(is_late, hour, null) as late_hour, hour < ${firstHour} as is_carried, if(is_late, [], cell.1) as dimensions,
       sum(cell.2) as seen, sum(cell.3) as counted, sum(cell.4) as unfit, sum(cell.5) as digest, sum(cell.6) as total,
       max(cell.7) as largest
     from (
       select hour, max(not ${upTo(scope.cut, "last_position")}) as is_late,
         groupArray((dimensions, seen, counted, unfit, digest, total, largest)) as cells
       from usage_cells
       where organization_id = {organization_id:UUID} and derivation_id = {derivation_id:UUID}
         and external_subscription_id = {external_subscription_id:String} and ${within("hour", hours)}
       group by hour
     )
     array join cells as cell
     group by late_hour, is_carried, dimensions`,
    parametersOf(scope),
    EXACTLY,
  );

/** The same from the events themselves. */
export const sumEvents = (
  clickhouse: Clickhouse,
  scope: CellScope,
  { instants, start }: { instants: readonly Span[]; start: bigint },
): Promise<CellRow[]> =>
  clickhouse.query(
    `select timestamp < ${start} as is_carried, dimensions, ${FIGURES}
     from (
       select timestamp, position, {field:String} as field, {names:Array(String)} as names, ${DERIVED}
       from events
       where organization_id = {organization_id:UUID} and external_subscription_id = {external_subscription_id:String}
         and code = {code:String} and ${within("timestamp", instants)} and ${upTo(scope.cut, "position")}
     )
     group by is_carried, dimensions`,
    parametersOf(scope),
    EXACTLY,
  );

/** Estimates from some of the subscription's events how many cells they would need. */
export async function estimateCells(
  clickhouse: Clickhouse,
  scope: CellScope,
): Promise<{ events: bigint; cells: bigint }> {
  const [row] = await clickhouse.query<{ events: string; cells: string }>(
    `select count() as events, uniqCombined(hour, shard, dimensions) as cells
     from (
       select shard, {field:String} as field, {names:Array(String)} as names, ${DERIVED}
       from events
       where organization_id = {organization_id:UUID} and external_subscription_id = {external_subscription_id:String}
         and code = {code:String} and ${upTo(scope.cut, "position")}
       limit ${SAMPLE_EVENTS}
     )`,
    parametersOf(scope),
  );
  return { events: BigInt(row?.events ?? 0), cells: BigInt(row?.cells ?? 0) };
}

/** The days, after a given one, on which events up to the snapshot were received, and their number. */
export async function listDays(
  clickhouse: Clickhouse,
  { derivation, cut }: Omit<CellScope, "externalSubscriptionId">,
  after: Temporal.PlainDate | null,
): Promise<{ day: Temporal.PlainDate; events: bigint }[]> {
  const rows = await clickhouse.query<{ day: string; events: string }>(
    `select toString(toDate(received_at)) as day, count() as events from events
     where organization_id = {organization_id:UUID} and code = {code:String} and ${upTo(cut, "position")}
       ${after === null ? "" : `and received_at >= toDateTime64('${after.add({ days: 1 })} 00:00:00', 6, 'UTC')`}
     group by day order by day`,
    { organization_id: derivation.organizationId, code: derivation.code },
  );
  return rows.map(({ day, events }) => ({ day: Temporal.PlainDate.from(day), events: BigInt(events) }));
}

export type Days = { readonly after: Temporal.PlainDate | null; readonly through: Temporal.PlainDate };

/** Adds the events up to the snapshot that were received on these days to the cells. */
export const deriveDays = (
  clickhouse: Clickhouse,
  { derivation, cut }: Omit<CellScope, "externalSubscriptionId">,
  { after, through }: Days,
): Promise<void> =>
  clickhouse.command(
    `insert into usage_cells (
       organization_id, derivation_id, external_subscription_id, hour, shard, dimensions, received_month,
       seen, seen_digest, counted, unfit, digest, total, largest, last_position
     )
     select organization_id, {derivation_id:UUID}, external_subscription_id, hour, shard, dimensions, received_month, ${FIGURES}
     from (
       select organization_id, external_subscription_id, shard, position, {field:String} as field, {names:Array(String)} as names,
         ${DERIVED}
       from events
       where organization_id = {organization_id:UUID} and code = {code:String} and ${upTo(cut, "position")}
         and received_at < toDateTime64('${through.add({ days: 1 })} 00:00:00', 6, 'UTC')
         ${after === null ? "" : `and received_at >= toDateTime64('${after.add({ days: 1 })} 00:00:00', 6, 'UTC')`}
     )
     group by organization_id, external_subscription_id, hour, shard, dimensions, received_month
     order by organization_id, external_subscription_id, hour, shard, dimensions, received_month`,
    parametersOf({ derivation, cut, externalSubscriptionId: "" }),
    {
      settings: {
        ...EXACT_SETTINGS,
        // If the statement is sent twice: with one order and one writer the blocks are equal, and each is inserted once.
        insert_deduplication_token: `tallystick:rollup:${derivation.id}:${after ?? "start"}:${through}`,
        max_insert_threads: 1,
      },
    },
  );

/** Deletes the cells of a derivation that is no longer read. */
export const deleteCells = (clickhouse: Clickhouse, { organizationId, id }: Derivation): Promise<void> =>
  clickhouse.command(
    "delete from usage_cells where organization_id = {organization_id:UUID} and derivation_id = {derivation_id:UUID}",
    { organization_id: organizationId, derivation_id: id },
  );

/** An hour of a subscription whose cells differ from its events. Each difference is the cells' number minus the events'. */
export type CellDifference = { external_subscription_id: string; hour: string; events: string };

/** Compares all cells of a derivation with all events. While no events arrive, there must be no difference. */
export const findCellDifferences = (clickhouse: Clickhouse, derivation: Derivation): Promise<CellDifference[]> => {
  const key = "external_subscription_id, hour, shard, dimensions";
  const sums =
    "sum(seen) as seen, sum(seen_digest) as seen_digest, sum(counted) as counted, sum(unfit) as unfit, sum(digest) as digest, sum(total) as total, max(largest) as largest, max(last_position) as last_position";
  return clickhouse.query<CellDifference>(
    `select external_subscription_id, hour, sum(side * toInt64(seen)) as events
     from (
       select 1 as side, ${key}, ${sums} from usage_cells
       where organization_id = {organization_id:UUID} and derivation_id = {derivation_id:UUID} group by ${key}
       union all
       select -1 as side, ${key}, ${FIGURES}
       from (
         select external_subscription_id, shard, position, {field:String} as field, {names:Array(String)} as names, ${DERIVED}
         from events where organization_id = {organization_id:UUID} and code = {code:String}
       )
       group by ${key}
     )
     group by external_subscription_id, hour, shard, dimensions
     having count() <> 2 or uniqExact((seen, seen_digest, counted, unfit, digest, total, largest, last_position)) <> 1
     order by external_subscription_id, hour limit 100`,
    parametersOf({ derivation, cut: [], externalSubscriptionId: "" }),
    EXACTLY,
  );
};
