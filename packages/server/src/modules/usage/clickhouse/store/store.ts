/**
 * All SQL that reads usage from the events in ClickHouse. Nothing in it is NULL: mapContains tells whether a property is present, a group
 * without a value is '' like one with an empty text, and the key of a filter is the number of its value.
 */

import type { Aggregation } from "@tallystick/core/catalog";
import { NUMBER_LENGTH_MAX } from "@tallystick/core/usage";
import type { Clickhouse } from "../../../../platform/clickhouse/clickhouse.ts";
import {
  join,
  leading,
  numbered,
  rowsOf,
  type Sql,
  sql,
  text,
  textList,
  uuid,
} from "../../../../platform/clickhouse/statement.ts";
import type { Cut, UsageScope } from "../../event-store.ts";
import { type ChargeReading, type MetricReading, NO_FILTER } from "../../metric-reading.ts";

/** The events of a metric of a subscription. There is always a snapshot, so that all statements of a read see the same events. */
export type MetricScope = Omit<UsageScope, "cut"> & {
  readonly organizationId: string;
  readonly cut: Cut;
  readonly isDigested: boolean;
  readonly reading: MetricReading;
};

/** The sums of one filter and group of a charge. Figures that the metric does not have are 0. */
export type SumRow = {
  charge: number;
  filter: number;
  groups: string[];
  events_seen: string;
  events_counted: string;
  /** Numbers with too many digits to be added up here. If there are any, the figures are not used. */
  events_unfit: string;
  digest_sum: string;
  carried_sum: string;
  added_sum: string;
  /** For events in the window: each value times the microseconds from its event to the last whole microsecond of the window. */
  weighed_sum: string;
  removals_sum: string;
  found_value: string;
};

type Placed = Pick<SumRow, "charge" | "filter" | "groups">;
export type TurnsCountRow = Placed & { carried_sum: string; added_sum: string; removed_sum: string };
/** An event that added a value, 1, or removed it, -1. */
export type TurnedRow = Placed & { timestamp: string; value: string; turn: 1 | -1 };
/** Numbers in order of time, separated by spaces. */
export type ListedRow = Placed & { list: string; days: string };
export type EventRow = {
  id: string;
  transaction_id: string;
  timestamp: string;
  received_micros: string;
  shard: number;
  position: string;
  texts: (string | null)[];
};

/** The figures of every bucket that has events, of all metrics and charges, in one statement. */
export function sumBuckets(clickhouse: Clickhouse, scopes: readonly MetricScope[]): Promise<SumRow[]> {
  return ofEveryMetric<SumRow>(clickhouse, scopes, (scope) => bucketsOf(scope, cellsOf(scope)));
}

/** How often values of unique counts were added and removed. That depends on the order of time, so these events are sorted. */
export const countTurns = (clickhouse: Clickhouse, scopes: readonly MetricScope[]): Promise<TurnsCountRow[]> =>
  ofEveryMetric<TurnsCountRow>(clickhouse, scopes, (scope) => {
    const start = microsecondsFrom(scope.window.from);
    return sql`
      select charge, filter, groups, sumIf(turn, timestamp < ${start}) as carried_sum,
        countIf(turn = 1 and timestamp >= ${start}) as added_sum, countIf(turn = -1 and timestamp >= ${start}) as removed_sum
      from (${turnsOf(scope)}) group by charge, filter, groups`;
  });

/** The events that added or removed a value, in order of time. */
export const findTurns = (clickhouse: Clickhouse, scopes: readonly MetricScope[]): Promise<TurnedRow[]> =>
  ofEveryMetric<TurnedRow>(
    clickhouse,
    scopes,
    (scope) => sql`select charge, filter, groups, ${IN_ORDER}, value, turn from (${turnsOf(scope)}) where turn != 0`,
    sql`order by ${IN_ORDER}`,
  );

/** The value of each event, for prices that need single events, and how many of the marks are not after it. */
export const listValues = (
  clickhouse: Clickhouse,
  scopes: readonly MetricScope[],
  marks: readonly Temporal.Instant[],
): Promise<ListedRow[]> =>
  ofEveryMetric<ListedRow>(clickhouse, scopes, (scope) => {
    const { reading, window } = scope;
    const prorated = reading.charges.filter(({ charge }) => charge.isProrated).map(({ number }) => number);
    const days = sql`arrayCount(mark -> mark <= timestamp, [${list(marks.map((mark) => sql`${microsecondsFrom(mark)}`))}])`;
    const isBefore = sql`timestamp < ${microsecondsFrom(window.from)} and has(${numberList(prorated)}, charge)`;
    return sql`
      select charge, filter, groups, arrayStringConcat(arrayMap(one -> tupleElement(one, 5), counted), ' ') as list,
        arrayStringConcat(arrayMap(one -> toString(tupleElement(one, 6)), counted), ' ') as days
      from (
        select charge, filter, groups, arraySort(groupArray((${IN_ORDER}, toString(number), day))) as counted
        from (select *, ${prorated.length > 0 && marks.length > 0 ? days : sql`0`} as day from (
          ${placed(reading, sql`select * from (${seenBy(scope, IN_ORDER)}) where is_counted`)}))
        where not (${prorated.length > 0 ? isBefore : sql`false`}) group by charge, filter, groups
      )`;
  });

/** One statement for several metrics. */
async function ofEveryMetric<Row>(
  clickhouse: Clickhouse,
  scopes: readonly MetricScope[],
  selectOf: (scope: MetricScope, number: number) => Sql,
  order: Sql = sql``,
): Promise<Row[]> {
  if (scopes.length === 0) return [];
  return rowsOf<Row>(clickhouse, sql`${unionOf(scopes.map(selectOf))} ${order}`);
}

/** The events of metrics, each metric's in order of acceptance, with the properties that its charges use. */
export const findAccepted = (
  clickhouse: Clickhouse,
  scopes: readonly MetricScope[],
): Promise<(EventRow & { metric: number })[]> =>
  ofEveryMetric(
    clickhouse,
    scopes,
    (scope, metric) =>
      sql`select toInt32(${metric}) as metric, ${eventColumns(scope.reading)} from ${eventsSeen(scope)}`,
    sql`order by metric, received_at, shard, position`,
  );

/** The metrics with an event that lowers their total. */
export async function findLowered(
  clickhouse: Clickhouse,
  scopes: readonly MetricScope[],
): Promise<{ metric: number }[]> {
  const lowering = scopes.flatMap((scope, metric) => {
    const { aggregation } = scope.reading.metric;
    if (aggregation.type !== "sum" && aggregation.type !== "unique_count") return [];
    const isLess =
      aggregation.type === "sum" ? isNegative(textOf(aggregation.field)) : sql`${textOf("operation_type")} = 'remove'`;
    return [sql`select toInt32(${metric}) as metric from ${eventsSeen(scope)} and ${isLess} limit 1`];
  });
  if (lowering.length === 0) return [];
  return rowsOf(clickhouse, unionOf(lowering));
}

export type BucketPage = {
  readonly filter: number;
  readonly groups: readonly (string | null)[];
  /** Events after this one. */
  readonly after: { at: Temporal.Instant; receivedAt: Temporal.Instant; shard: number; position: bigint } | null;
  /** null: all. */
  readonly size: number | null;
};

/** The events of one bucket in order of time. */
export function findOfBucket(
  clickhouse: Clickhouse,
  scope: MetricScope & { readonly charge: ChargeReading },
  { filter, groups, after, size }: BucketPage,
): Promise<EventRow[]> {
  const { reading, charge } = scope;
  const isAfter = after
    ? sql`and (timestamp, received_at, shard, position) > (${microsecondsFrom(after.at)},
        fromUnixTimestamp64Micro(${microsecondsFrom(after.receivedAt)}, 'UTC'), ${after.shard}, ${after.position})`
    : sql``;
  return rowsOf<EventRow>(
    clickhouse,
    sql`
      select ${leading(dimensionsOf(reading))} ${eventColumns(reading)},
        ${filterOf(charge, reading.keys)} as ${numbered("filter", charge.number)}
      from ${eventsSeen(scope)} and ${numbered("filter", charge.number)} = ${filter}
        and ${groupsOf(charge)} = ${textList(groups.map((value) => value ?? ""))} ${isAfter}
      order by ${IN_ORDER} ${size === null ? sql`` : sql`limit ${size}`}`,
  );
}

const IN_ORDER = sql`timestamp, received_at, shard, position`;

/** With the texts of its properties, in the order of the names that its metric's charges use; null if it has none. */
function eventColumns({ names }: MetricReading): Sql {
  const texts = names.map((name) => sql`if(${has(name)}, ${textOf(name)}, NULL)`);
  return sql`
    ${IN_ORDER}, toUnixTimestamp64Micro(received_at) as received_micros, id, transaction_id,
    CAST([${list(texts)}], 'Array(Nullable(String))') as texts`;
}

const list = (pieces: readonly Sql[]): Sql => join(pieces, sql`, `);

/** One statement for several selects. */
const unionOf = (selects: readonly Sql[]): Sql =>
  selects.length === 1 ? join(selects, sql``) : sql`select * from (${join(selects, sql` union all `)})`;

const keyColumns = ({ keys }: MetricReading): Sql[] => keys.map((_, number) => numbered("key", number));
const groupColumns = ({ groups }: MetricReading): Sql[] => groups.map((_, number) => numbered("group", number));
const numberList = (values: readonly number[]): Sql => sql`[${list(values.map((value) => sql`toInt32(${value})`))}]`;

const MICROSECOND = 1000n;

/** Events have whole microseconds, so an instant can be rounded up to the next microsecond. */
const microsecondsFrom = (instant: Temporal.Instant): bigint => microsecondsOf(instant, "ceil");

export const microsecondsOf = (instant: Temporal.Instant, roundingMode: "ceil" | "floor"): bigint =>
  instant.round({ smallestUnit: "microsecond", roundingMode }).epochNanoseconds / MICROSECOND;

/** Only positions up to the snapshot. A shard that is not in the snapshot has none. */
const eventsSeen = ({ organizationId, externalSubscriptionId, reading, window, cut, atEnd }: MetricScope): Sql => sql`
  events where organization_id = ${uuid(organizationId)} and external_subscription_id = ${text(externalSubscriptionId)}
  and code = ${text(reading.metric.code)} and timestamp >= ${microsecondsFrom(reading.since)}
  and ${until(microsecondsFrom(window.to), atEnd ?? null)} and ${upTo(cut)}`;

const until = (end: bigint, atEnd: Cut | null): Sql =>
  atEnd === null ? sql`timestamp < ${end}` : sql`timestamp <= ${end} and (timestamp < ${end} or ${upTo(atEnd)})`;

const upTo = (cut: Cut): Sql =>
  cut.length === 0
    ? sql`false`
    : sql`(${join(
        cut.map((position, shard) => sql`shard = ${shard} and position <= ${position}`),
        sql` or `,
      )})`;

const has = (name: string): Sql => sql`mapContains(properties, ${text(name)})`;
/** '' if the property is absent. */
const textOf = (name: string): Sql => sql`properties[${text(name)}]`;

/** Numbers that can be added up: even 10^12 of them, times the microseconds of centuries, stay within 76 digits. */
const FITTING = sql`'^-?0*[0-9]{1,18}([.][0-9]{1,18}0*)?$'`;
const NUMBER = sql`'^-?0*[0-9]{1,18}([.][0-9]+)?$'`;
const SCALE = 18;
const NOTHING = sql`toDecimal256(0, ${SCALE})`;

const matches = (value: Sql, pattern: Sql): Sql =>
  sql`(length(${value}) <= ${NUMBER_LENGTH_MAX} and match(${value}, ${pattern}))`;

/** Without arithmetic: a number of any length is below 0 if it has a minus sign and a digit other than 0. */
const isNegative = (value: Sql): Sql =>
  sql`(startsWith(${value}, '-') and match(${value}, '[1-9]') and ${matches(value, NUMBER)})`;

/** The events that a metric sees: the value of each, and every property by which its charges distinguish events. */
const seenBy = (scope: MetricScope, columns: Sql): Sql => sql`
  select ${leading(dimensionsOf(scope.reading))} ${countedIn(scope.reading.metric.aggregation)}, ${columns}
  from ${eventsSeen(scope)}`;

/** For a key of filters: the index of the event's value among the values that filters name; 0 if no filter names it. */
const dimensionsOf = ({ keys, groups }: MetricReading): Sql[] => [
  ...keys.map(
    ({ name, values }, number) =>
      sql`if(${has(name)}, indexOf(${textList(values)}, ${textOf(name)}), 0) as ${numbered("key", number)}`,
  ),
  ...groups.map((name, number) => sql`${textOf(name)} as ${numbered("group", number)}`),
];

function countedIn(aggregation: Aggregation): Sql {
  if (aggregation.type === "count") return sql`true as is_counted, true as is_fit`;
  const value = textOf(aggregation.field);
  if (aggregation.type === "unique_count") {
    const operation = sql`if(${has("operation_type")}, ${textOf("operation_type")}, 'add')`;
    return sql`${has(aggregation.field)} as is_counted, true as is_fit, ${value} as value, ${operation} as operation`;
  }
  return sql`
    ${matches(value, FITTING)} as is_fit, (is_fit or ${matches(value, NUMBER)}) as is_counted,
    if(is_fit, toDecimal256OrZero(${value}, ${SCALE}), ${NOTHING}) as number`;
}

/** Sums over events that no charge distinguishes: usually a few rows, from which the buckets of every charge are added up. */
function cellsOf(scope: MetricScope): Sql {
  const { reading, window, isDigested } = scope;
  const { aggregation } = reading.metric;
  const apart = [...keyColumns(reading), ...groupColumns(reading)];
  if (aggregation.type === "unique_count") apart.push(sql`is_counted`, sql`value`);
  const columns = sql`${isDigested ? sql`digest` : sql`toUInt128(0) as digest`}, timestamp, received_at, shard, position`;
  return sql`
    select ${leading(apart)} count() as seen, countIf(is_counted) as counted, countIf(is_counted and not is_fit) as unfit,
      sumIf(digest, is_counted) as digests, ${figuresOf(aggregation, window)}
    from (${seenBy(scope, columns)}) ${apart.length > 0 ? sql`group by ${list(apart)}` : sql``}`;
}

function figuresOf(aggregation: Aggregation, { from, to }: UsageScope["window"]): Sql {
  const start = microsecondsFrom(from);
  const end = microsecondsOf(to, "floor");
  switch (aggregation.type) {
    case "count":
      return sql`0 as nothing`;
    case "sum":
      return sql`sumIf(number, timestamp < ${start}) as carried, sumIf(number, timestamp >= ${start}) as added`;
    case "weighted_sum":
      return sql`
        sumIf(number, timestamp < ${start}) as carried, sumIf(number, timestamp >= ${start}) as added,
        sumIf(number * (${end} - timestamp), timestamp >= ${start}) as weighed`;
    case "max":
      return sql`maxIf(number, is_counted) as largest`;
    case "latest":
      return sql`
        argMaxIf(number, (timestamp, received_at, shard, position), is_counted) as latest,
        maxIf((timestamp, received_at, shard, position), is_counted) as latest_at`;
    case "unique_count":
      return sql`
        countIf(operation = 'remove') as removals, countIf(operation = 'add') as additions,
        countIf(operation = 'add' and timestamp < ${start}) as additions_carried`;
  }
}

/** Rows of a metric, cells or events, once for each of its charges, with the filter and the groups of the charge. */
function placed({ keys, charges }: MetricReading, rows: Sql): Sql {
  const filters = charges.map((charge) => sql`${filterOf(charge, keys)} as ${numbered("filter", charge.number)}`);
  const places = charges.map(
    (charge) => sql`tuple(toInt32(${charge.number}), ${numbered("filter", charge.number)}, ${groupsOf(charge)})`,
  );
  return sql`
    select *, ${list(filters)}, arrayJoin([${list(places)}]) as place, tupleElement(place, 1) as charge,
      tupleElement(place, 2) as filter, tupleElement(place, 3) as groups
    from (${rows})`;
}

/** The first filter that matches, in the order in which core checks them. A value that no filter names has the number 0. */
function filterOf({ candidates }: ChargeReading, keys: MetricReading["keys"]): Sql {
  const none = sql`toInt32(${NO_FILTER})`;
  if (candidates.length === 0) return none;
  const branches = candidates.map(({ filter, conditions }) => {
    const all = conditions.map(({ key, values }) => {
      const known = keys[key]?.values ?? [];
      return sql`has(${numberList(values.map((value) => known.indexOf(value) + 1))}, ${numbered("key", key)})`;
    });
    return sql`${join(all, sql` and `)}, toInt32(${filter})`;
  });
  return sql`multiIf(${list(branches)}, ${none})`;
}

/** A filter that is not grouped by a group has no value for it. */
function groupsOf({ number, groups }: ChargeReading): Sql {
  const values = groups.map(
    ({ group, filters }) =>
      sql`if(has(${numberList(filters)}, ${numbered("filter", number)}), ${numbered("group", group)}, '')`,
  );
  return groups.length > 0 ? sql`[${list(values)}]` : sql`CAST([], 'Array(String)')`;
}

/** The buckets of a metric's charges, from its cells. */
function bucketsOf({ reading }: MetricScope, cells: Sql): Sql {
  const { type } = reading.metric.aggregation;
  if (type === "unique_count") return uniqueBucketsOf(reading, cells);
  const hasSums = type === "sum" || type === "weighted_sum";
  const value =
    type === "max"
      ? sql`maxIf(largest, counted > 0)`
      : type === "latest"
        ? sql`argMaxIf(latest, latest_at, counted > 0)`
        : NOTHING;
  return sql`
    select charge, filter, groups, sum(seen) as events_seen, sum(counted) as events_counted, sum(unfit) as events_unfit,
      sum(digests) as digest_sum, ${hasSums ? sql`sum(carried)` : NOTHING} as carried_sum,
      ${hasSums ? sql`sum(added)` : NOTHING} as added_sum,
      ${type === "weighted_sum" ? sql`sum(weighed)` : NOTHING} as weighed_sum, toUInt64(0) as removals_sum,
      ${value} as found_value
    from (${placed(reading, cells)}) group by charge, filter, groups`;
}

/** If no value was removed, each value was added with its first addition. */
const uniqueBucketsOf = (reading: MetricReading, cells: Sql): Sql => sql`
  select charge, filter, groups, sum(value_seen) as events_seen, sum(value_counted) as events_counted,
    toUInt64(0) as events_unfit, sum(value_digests) as digest_sum,
    toDecimal256(countIf(is_counted and value_carried > 0), ${SCALE}) as carried_sum,
    toDecimal256(countIf(is_counted and value_carried = 0 and value_additions > 0), ${SCALE}) as added_sum,
    ${NOTHING} as weighed_sum, sumIf(value_removals, is_counted) as removals_sum, ${NOTHING} as found_value
  from (
    select charge, filter, groups, is_counted, value, sum(seen) as value_seen, sum(counted) as value_counted,
      sum(digests) as value_digests, sum(removals) as value_removals, sum(additions) as value_additions,
      sum(additions_carried) as value_carried
    from (${placed(reading, cells)}) group by charge, filter, groups, is_counted, value
  ) group by charge, filter, groups`;

/** Events of a unique count, each with its effect: a value is added if it was not in use before. */
function turnsOf(scope: MetricScope): Sql {
  const known = sql`select * from (${seenBy(scope, IN_ORDER)}) where is_counted and operation in ('add', 'remove')`;
  return sql`
    select charge, filter, groups, ${IN_ORDER}, value, multiIf(
      operation = 'add' and operation_before != 'add', toInt8(1),
      operation = 'remove' and operation_before = 'add', toInt8(-1), toInt8(0)) as turn
    from (
      select *, lagInFrame(operation) over (partition by charge, filter, groups, value order by ${IN_ORDER}
        rows between unbounded preceding and current row) as operation_before
      from (${placed(scope.reading, known)})
    )`;
}
