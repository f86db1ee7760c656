/** All SQL that reads usage from events and their heads. Every text of a user is a bound parameter. */
import type { Aggregation } from "@tallystick/core/catalog";
import { type Decimal, decimal } from "@tallystick/core/money";
import { NUMBER_LENGTH_MAX, QUANTITY_DIGITS_MAX } from "@tallystick/core/usage";
import { type RawBuilder, sql } from "kysely";
import type { Tx } from "../../platform/postgres/database.ts";
import type { Acceptance } from "./acceptance.ts";
import type { UsageScope } from "./event-store.ts";
import { type ChargeReading, type MetricReading, NO_FILTER } from "./metric-reading.ts";
import type { AcceptedRow, BucketRow, ListRow, TurnRow, TurnsRow } from "./rows.ts";

type Sql = RawBuilder<unknown>;

/** The events of a metric of a subscription. */
export type MetricScope = Omit<UsageScope, "externalSubscriptionId"> & {
  readonly organizationId: string;
  readonly externalSubscriptionId: string | Sql;
  readonly reading: MetricReading;
};
export type ChargeScope = MetricScope & { readonly charge: ChargeReading };

/** Allows longer statements than a request, and turns off JIT compilation, which can take longer than the statement itself. */
export async function allowLongReads(tx: Tx, timeoutMs: number): Promise<void> {
  await sql`select set_config('statement_timeout', ${String(timeoutMs)}, true), set_config('jit', 'off', true)`.execute(
    tx,
  );
}

/** Events are read by their index and not sorted as a whole: the cost of a page depends only on its size. */
export const readInOrder = (tx: Tx) => sql`select set_config('enable_sort', 'off', true)`.execute(tx);

/** The figures of every bucket that has events, of all metrics and charges. No event is read twice. */
export async function sumBuckets(tx: Tx, scopes: readonly MetricScope[]): Promise<BucketRow[]> {
  if (scopes.length === 0) return [];
  return (await sql<BucketRow>`${bucketsOfScopes(scopes)}`.execute(tx)).rows;
}

/** For several subscriptions in one statement: `subscription` is an index of the external ids. */
export type OfMany<Row> = Row & { readonly subscription: number };
type AnySubscription = Omit<MetricScope, "externalSubscriptionId">;

export const sumBucketsOfMany = (
  tx: Tx,
  externalIds: readonly string[],
  scopes: readonly AnySubscription[],
): Promise<OfMany<BucketRow>[]> => ofMany<BucketRow>(tx, { externalIds, scopes }, bucketsOfScopes);

/** Planned once for all subscriptions. */
async function ofMany<Row>(
  tx: Tx,
  { externalIds, scopes }: { externalIds: readonly string[]; scopes: readonly AnySubscription[] },
  rowsOf: (scopes: readonly MetricScope[]) => Sql,
  order: Sql = sql``,
): Promise<OfMany<Row>[]> {
  if (scopes.length === 0) return [];
  const externalSubscriptionId = sql`subscribed.external_id`;
  const ofEach = rowsOf(scopes.map((scope) => ({ ...scope, externalSubscriptionId })));
  const { rows } = await sql<OfMany<Row>>`
    select (subscribed.number - 1)::integer as subscription, of_each.*
    from unnest(${externalIds}::text[]) with ordinality as subscribed (external_id, number), lateral (${ofEach}) as of_each ${order}`.execute(
    tx,
  );
  return rows;
}

function bucketsOfScopes(scopes: readonly MetricScope[]): Sql {
  const cells = scopes.map((scope, number) => sql`${column("cells", number)} as (${cellsOf(scope)})`);
  const buckets = scopes.flatMap((scope, number) =>
    scope.reading.charges.map((charge) => bucketsOf({ ...scope, charge }, column("cells", number))),
  );
  return sql`with ${list(cells)} ${sql.join(buckets, sql` union all `)}`;
}

/** How often values were added and removed. That depends on the order of time, so these events are sorted. */
export const countTurns = (tx: Tx, scopes: readonly MetricScope[]): Promise<TurnsRow[]> =>
  ofEveryCharge<TurnsRow>(tx, scopes, (scope, seen) => {
    const start = sql`${wholeMicroseconds(scope.window.from)}::timestamptz`;
    return sql`
      select charge, filter, groups, coalesce(sum(turn) filter (where "timestamp" < ${start}), 0)::numeric as carried,
        (count(*) filter (where turn = 1 and "timestamp" >= ${start}))::numeric as added,
        (count(*) filter (where turn = -1 and "timestamp" >= ${start}))::numeric as removed
      from (${turnsOf(scope, seen)}) as turns group by charge, filter, groups`;
  });

/** The events that added or removed a value, in order of time. */
export const findTurns = (tx: Tx, scopes: readonly MetricScope[]): Promise<TurnRow[]> =>
  ofEveryCharge<TurnRow>(
    tx,
    scopes,
    (scope, seen) => sql`select * from (${turnsOf(scope, seen)}) as turns where turn <> 0`,
    sql`order by ${IN_ORDER}`,
  );

/** The value of each event in the window, for prices that need single events, and its place among the marks. */
export const listValues = (
  tx: Tx,
  scopes: readonly MetricScope[],
  marks: readonly Temporal.Instant[],
): Promise<ListRow[]> =>
  ofEveryCharge<ListRow>(tx, scopes, (scope, seen) => {
    const { charge, window } = scope;
    const day = sql`width_bucket("timestamp", ${marks}::timestamptz[])::text`;
    const isListed = charge.charge.isProrated
      ? sql`"timestamp" >= ${wholeMicroseconds(window.from)}::timestamptz`
      : sql`true`;
    return sql`
      select ${charge.number}::integer as charge, filter, groups, string_agg(value::text, ' ' order by ${IN_ORDER}) as list,
        ${charge.charge.isProrated ? sql`string_agg(${day}, ' ' order by ${IN_ORDER})` : sql`null`} as days
      from (${placed(scope, seen)}) as placed where value is not null and ${isListed} group by filter, groups`;
  });

/** One statement for the charges of several metrics, which reads the events of each metric once. */
async function ofEveryCharge<Row>(
  tx: Tx,
  scopes: readonly MetricScope[],
  rowsOf: (scope: ChargeScope, seen: Sql) => Sql,
  order: Sql = sql``,
): Promise<Row[]> {
  if (scopes.length === 0) return [];
  const seen = scopes.map((scope, number) => sql`${column("seen", number)} as (${seenBy(scope, IN_ORDER)})`);
  const rows = scopes.flatMap((scope, number) =>
    scope.reading.charges.map((charge) => sql`(${rowsOf({ ...scope, charge }, column("seen", number))})`),
  );
  const statement = sql<Row>`with ${list(seen)} ${sql.join(rows, sql` union all `)} ${order}`;
  return (await statement.execute(tx)).rows;
}

type AcceptedOfMetric = AcceptedRow & { readonly metric: number };

/** The events of metrics, each metric's in order of acceptance, with the properties that its charges use. */
export async function findAccepted(tx: Tx, scopes: readonly MetricScope[]): Promise<AcceptedOfMetric[]> {
  if (scopes.length === 0) return [];
  return (await sql<AcceptedOfMetric>`${acceptedIn(scopes)}`.execute(tx)).rows;
}

export const findAcceptedOfMany = (
  tx: Tx,
  externalIds: readonly string[],
  scopes: readonly AnySubscription[],
): Promise<OfMany<AcceptedOfMetric>[]> =>
  ofMany<AcceptedOfMetric>(
    tx,
    { externalIds, scopes },
    acceptedIn,
    sql`order by subscription, metric, received_at, shard, position`,
  );

function acceptedIn(scopes: readonly MetricScope[]): Sql {
  const metrics = scopes.map(
    (scope, number) => sql`
      select ${number}::integer as metric, "timestamp", received_at, shard, position, id, transaction_id,
        ${texts(scope.reading.names.map(textOf))} as texts
      from ${eventsSeen(scope)}`,
  );
  return sql`select metric, "timestamp", received_at, shard, position, id, transaction_id, texts
    from (${sql.join(metrics, sql` union all `)}) as seen order by metric, received_at, shard, position`;
}

/** The metrics with an event that lowers their total. */
export async function findLowered(tx: Tx, scopes: readonly MetricScope[]): Promise<{ metric: number }[]> {
  const lowering = scopes.flatMap((scope, number) => {
    const { aggregation } = scope.reading.metric;
    if (aggregation.type !== "sum" && aggregation.type !== "unique_count") return [];
    const isLess =
      aggregation.type === "sum"
        ? sql`${numberIn(jsonOf(aggregation.field))} < 0`
        : sql`${textOf("operation_type")} = 'remove'`;
    return [sql`select ${number}::integer as metric where exists (select from ${eventsSeen(scope)} and ${isLess})`];
  });
  if (lowering.length === 0) return [];
  return (await sql<{ metric: number }>`${sql.join(lowering, sql` union all `)}`.execute(tx)).rows;
}

export type BucketPage = {
  readonly filter: number;
  readonly groups: readonly (string | null)[];
  /** Events after this one. */
  readonly after: (Acceptance & { readonly at: Temporal.Instant }) | null;
  /** null: all. */
  readonly size: number | null;
};

/** The events of one bucket in order of time. */
export async function findOfBucket(
  tx: Tx,
  scope: ChargeScope,
  { filter, groups, after, size }: BucketPage,
): Promise<AcceptedRow[]> {
  const columns = sql`
    "timestamp", received_at, shard, position, id, transaction_id, ${texts(scope.reading.names.map(textOf))} as texts`;
  // The time is compared twice, because the index has only the time. With ordered reads, a page ends with its last event.
  const isAfter = after
    ? sql`and "timestamp" >= ${after.at}::timestamptz and ("timestamp", received_at, shard, position)
        > (${after.at}::timestamptz, ${after.receivedAt}::timestamptz, ${after.shard}::smallint, ${after.position}::bigint)`
    : sql``;
  const inOrder = seenBy(scope, columns, isAfter, sql`order by ${IN_ORDER}`);
  const { rows } = await sql<AcceptedRow>`
    select "timestamp", received_at, shard, position, id, transaction_id, texts
    from (${placed(scope, sql`(${inOrder})`)}) as placed
    where filter = ${filter}::integer and groups = ${groups}::text[]
    order by ${IN_ORDER} limit ${size}::bigint`.execute(tx);
  return rows;
}

const IN_ORDER = sql`"timestamp", received_at, shard, position`;

/** Our own names with a number: never a text of a user. */
const column = (kind: "cells" | "seen" | "text" | "key" | "group", number: number): Sql => sql.ref(`${kind}_${number}`);

const list = (parts: readonly Sql[]): Sql => sql.join(parts, sql`, `);
const texts = (parts: readonly Sql[]): Sql => sql`array[${list(parts)}]::text[]`;

/** Each part is followed by a comma, so that the list may be empty. */
const leading = (parts: readonly Sql[]): Sql =>
  sql.join(
    parts.map((part) => sql`${part}, `),
    sql``,
  );

const keyColumns = ({ keys }: MetricReading): Sql[] => keys.map((_, number) => column("key", number));
const groupColumns = ({ groups }: MetricReading): Sql[] => groups.map((_, number) => column("group", number));

/** The canonical text of a property; null if it is absent. */
const textOf = (name: string): Sql => sql`coalesce(canonical ->> ${name}::text, properties ->> ${name}::text)`;

/** The first number that has too many digits before the point for a quantity. */
const BEYOND = sql.raw(`1${"0".repeat(QUANTITY_DIGITS_MAX)}`);

/** The quantity in a JSON value. A JSON number is checked by its size; a text must match the pattern before it is cast. */
const numberIn = (json: Sql): Sql => sql`
  case jsonb_typeof(${json})
    when 'number' then case when abs((${json})::numeric) < ${BEYOND} then (${json})::numeric end
    when 'string' then case when length(${json} #>> '{}') <= ${NUMBER_LENGTH_MAX}::integer
      and ${json} #>> '{}' ~ '^-?0*[0-9]{1,18}([.][0-9]+)?$' then (${json} #>> '{}')::numeric end
  end`;

const jsonOf = (name: string): Sql => sql`properties -> ${name}::text`;

/** Only positions up to the snapshot. A shard that is not in the snapshot has none. */
const eventsSeen = ({ organizationId, externalSubscriptionId, reading, window, cut, atEnd }: MetricScope): Sql => sql`
  events where organization_id = ${organizationId} and external_subscription_id = ${externalSubscriptionId}
  and code = ${reading.metric.code} and "timestamp" >= ${wholeMicroseconds(reading.since)}::timestamptz
  and "timestamp" ${until(sql`${wholeMicroseconds(window.to)}::timestamptz`, atEnd)} ${upTo(cut)}`;

const until = (end: Sql, atEnd: UsageScope["atEnd"]): Sql =>
  atEnd ? sql`<= ${end} and ("timestamp" < ${end} or true ${upTo(atEnd)})` : sql`< ${end}`;

/** Written shard by shard: indexing into a list took longer than all other conditions together. */
function upTo(cut: UsageScope["cut"]): Sql {
  if (cut === null) return sql``;
  const shards = cut.map((position, shard) => sql`or shard = ${shard}::smallint and position <= ${position}::bigint`);
  return sql`and (false ${sql.join(shards, sql` `)})`;
}

/** Events have whole microseconds, so an instant can be rounded up to the next microsecond. */
const wholeMicroseconds = (instant: Temporal.Instant): Temporal.Instant =>
  instant.round({ smallestUnit: "microsecond", roundingMode: "ceil" });

/**
 * Keeps Postgres from computing the selected values again wherever they are used. As text, because only then does Postgres know early
 * enough that it is 0, and can use parallel workers.
 */
const ONCE = sql`offset '0'`;

/** The events that a metric sees: the value of each, and every property by which its charges distinguish events, read once. */
function seenBy(scope: MetricScope, columns: Sql, condition: Sql = sql``, order: Sql = sql``): Sql {
  const { metric, keys, groups, names } = scope.reading;
  const { type } = metric.aggregation;
  const text = (name: string): Sql => column("text", names.indexOf(name));
  const keyTexts = keys.map(
    ({ name, values }, number) =>
      sql`case when ${text(name)} = any (${values}::text[]) then ${text(name)} end as ${column("key", number)}`,
  );
  const groupTexts = groups.map((name, number) => sql`nullif(${text(name)}, '') as ${column("group", number)}`);
  const field = "field" in metric.aggregation ? metric.aggregation.field : null;
  const counted =
    field === null
      ? sql`1 as value`
      : type === "unique_count"
        ? sql`${text(field)} as value, coalesce(${text("operation_type")}, 'add') as operation`
        : sql`${numberIn(sql`json`)} as value`;
  const read = [
    ...names.map((name, number) => sql`${textOf(name)} as ${column("text", number)}`),
    ...(field === null ? [] : [sql`${jsonOf(field)} as json`]),
  ];
  return sql`
    select ${leading(keyTexts)} ${leading(groupTexts)} ${counted}, read.*
    from (select ${leading(read)} ${columns} from ${eventsSeen(scope)} ${condition} ${order} ${ONCE}) as read ${order} ${ONCE}`;
}

/** Sums over events that no charge distinguishes: usually a few rows, from which the buckets of every charge are added up. */
function cellsOf(scope: MetricScope): Sql {
  const { reading, window, cut } = scope;
  const { aggregation } = reading.metric;
  const apart = [...keyColumns(reading), ...groupColumns(reading)];
  if (aggregation.type === "unique_count") apart.push(sql`value`);
  const digest = cut === null ? sql`null::numeric` : sql`sum(digest) filter (where value is not null)`;
  return sql`
    select ${leading(apart)} count(*) as seen, count(value) as counted, ${digest} as digest,
      ${figuresOf(aggregation, window)}
    from (${seenBy(scope, sql`digest, "timestamp"`)}) as seen
    ${apart.length > 0 ? sql`group by ${list(apart)}` : sql``}`;
}

function figuresOf(aggregation: Aggregation, { from, to }: UsageScope["window"]): Sql {
  const start = sql`${wholeMicroseconds(from)}::timestamptz`;
  if (aggregation.type === "unique_count") {
    return sql`
      count(*) filter (where operation = 'remove' and value is not null) as removals,
      count(*) filter (where operation = 'add') as additions,
      count(*) filter (where operation = 'add' and "timestamp" < ${start}) as additions_carried`;
  }
  const none = sql`null::numeric`;
  const hasSum = aggregation.type === "sum" || aggregation.type === "weighted_sum";
  const seesHistory = hasSum && aggregation.isRecurring;
  // Units from before the window count from its start.
  const seconds = sql`${secondsOf(to)}::numeric - greatest(extract(epoch from "timestamp"), ${secondsOf(from)}::numeric)`;
  return sql`
    ${seesHistory ? sql`sum(value) filter (where "timestamp" < ${start})` : none} as carried,
    ${seesHistory ? sql`sum(value) filter (where "timestamp" >= ${start})` : hasSum ? sql`sum(value)` : none} as added,
    ${aggregation.type === "weighted_sum" ? sql`sum(value * (${seconds}))` : none} as unit_seconds,
    ${aggregation.type === "max" ? sql`max(value)` : none} as largest,
    ${aggregation.type === "latest" ? sql`max("timestamp") filter (where value is not null)` : sql`null::timestamptz`} as last_at`;
}

const secondsOf = (instant: Temporal.Instant): Decimal => decimal(`${instant.epochNanoseconds}e-9`);

/** Rows of a metric, cells or events, with the filter and the groups of a charge. */
const placed = (scope: ChargeScope, rows: Sql): Sql => sql`
  select *, ${groupsOf(scope.charge)} as groups
  from (select *, ${filterOf(scope.charge)} as filter from ${rows} as row) as filtered`;

/** The first filter that matches, in the order in which core checks them: never a list of values to exclude. */
function filterOf({ candidates }: ChargeReading): Sql {
  if (candidates.length === 0) return sql`${NO_FILTER}::integer`;
  const branches = candidates.map(({ filter, conditions }) => {
    const all = conditions.map(({ key, values }) => sql`${column("key", key)} = any (${values}::text[])`);
    return sql`when ${sql.join(all, sql` and `)} then ${filter}::integer`;
  });
  return sql`case ${sql.join(branches, sql` `)} else ${NO_FILTER}::integer end`;
}

const groupsOf = ({ groups }: ChargeReading): Sql =>
  texts(
    groups.map(
      ({ group, filters }) => sql`case when filter = any (${filters}::integer[]) then ${column("group", group)} end`,
    ),
  );

/** The buckets of a charge, from the cells of its metric. */
function bucketsOf(scope: ChargeScope, cells: Sql): Sql {
  const { type } = scope.reading.metric.aggregation;
  const sums = sql`filter, groups, sum(seen)::bigint as seen, sum(counted)::bigint as counted, sum(digest) as digest`;
  const row = sql`${scope.charge.number}::integer as charge, filter, groups, seen, counted, digest, carried, added`;
  const rows = sql`(${placed(scope, cells)}) as placed`;
  if (type === "unique_count") {
    return sql`
      select ${row}, removals, null::numeric as unit_seconds, null::numeric as value
      from (
        select ${sums}, (count(*) filter (where value is not null and additions_carried > 0))::numeric as carried,
          (count(*) filter (where value is not null and additions_carried = 0 and additions > 0))::numeric as added,
          sum(removals)::bigint as removals
        from (
          select ${sums}, value, sum(removals) as removals, sum(additions) as additions,
            sum(additions_carried) as additions_carried
          from ${rows} group by filter, groups, value
        ) as one_value
        group by filter, groups
      ) as bucket`;
  }
  return sql`
    select ${row}, null::bigint as removals, unit_seconds, ${type === "latest" ? latestIn(scope) : sql`largest`} as value
    from (
      select ${sums}, sum(carried) as carried, sum(added) as added, sum(unit_seconds) as unit_seconds,
        max(largest) as largest, max(last_at) as last_at
      from ${rows} group by filter, groups
    ) as bucket`;
}

/** The value of the last accepted event at the bucket's last instant. */
function latestIn(scope: ChargeScope): Sql {
  const seen = sql`(${seenBy(scope, sql`received_at, shard, position`, sql`and "timestamp" = bucket.last_at`)})`;
  return sql`(
    select value from (${placed(scope, seen)}) as last
    where last.filter = bucket.filter and last.groups = bucket.groups and value is not null
    order by received_at desc, shard desc, position desc limit 1
  )`;
}

/** Events of a unique count, each with its effect: a value is added if it was not in use before. */
const turnsOf = (scope: ChargeScope, seen: Sql): Sql => sql`
  select ${scope.charge.number}::integer as charge, filter, groups, ${IN_ORDER}, value, case
    when operation = 'add' and before is distinct from 'add' then 1
    when operation = 'remove' and before = 'add' then -1
    else 0 end as turn
  from (
    select *, lag(operation) over (partition by filter, groups, value order by ${IN_ORDER}) as before
    from (${placed(scope, seen)}) as placed where value is not null and operation in ('add', 'remove')
  ) as walked`;
