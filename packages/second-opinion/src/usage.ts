// The usage of each filter and group of a charge: recounted from events if there are not too many, otherwise as measured.

import { type AggregateCase, oracleAggregate } from "./aggregate.ts";
import { cameBefore, including } from "./came-before.ts";
import { oracleFilter } from "./filter.ts";
import { isEqual, isQuantity, type Rational, rational, whole, ZERO } from "./rational.ts";
import type { ChargeTerms, EventCase, MeasuredCase, MetricTerms, Span, UsageCase } from "./recomputation-input.ts";

export type Window = Span & { timeZone: string };

/** The limit for recounting events one by one, because the worker that waits for the result has other work. */
const VALUES_MAX = 20_000;

export type Used = {
  filterId: string | null;
  group: MeasuredCase["group"];
  units: Rational;
  /** The value of each event in order of time. It may be empty for measured usage: then the price needs only their number. */
  values: Rational[];
  events: bigint;
  /** For prorated prices: as measured, because they depend on days and not on events. */
  changes: MeasuredCase["changes"];
  /** false: used as measured. */
  isCounted: boolean;
};

type Bucket = Pick<Used, "filterId" | "group">;

/** The same name for a filter and group, whatever the order of its properties. */
export const bucketName = ({ filterId, group }: Bucket): string =>
  JSON.stringify([filterId, Object.entries(group).sort(([one], [other]) => (one < other ? -1 : 1))]);

/** The events of each filter and group, by its name, in order of acceptance. */
export function placesOf(
  charge: ChargeTerms,
  metric: MetricTerms,
  events: readonly EventCase[],
): Map<string, { place: Bucket; own: Placed[] }> {
  const places = new Map<string, { place: Bucket; own: Placed[] }>();
  events.forEach((event, position) => {
    const place = placeOf(charge, metric, event);
    const known = places.get(bucketName(place)) ?? { place, own: [] };
    known.own.push({ ...event, position });
    places.set(bucketName(place), known);
  });
  return places;
}

/** `accepted`: for a recurring metric, events at the end of the window that came before what ended it. */
export function usedOf(
  charge: ChargeTerms,
  metric: MetricTerms,
  use: UsageCase,
  { accepted, ...whole }: Window & { accepted?: readonly string[] | undefined },
): Used[] {
  const { measured } = use;
  if (use.events === null) return measured.map(asMeasured);
  const hasEnd = accepted !== undefined && metric.recurring && metric.aggregation_type !== "weighted_sum_agg";
  const window: Window = hasEnd ? { ...whole, to: including(whole.to) } : whole;
  const events = hasEnd ? use.events.filter((event) => cameBefore(event, whole.to, accepted)) : use.events;
  const changes = new Map(measured.map((bucket) => [bucketName(bucket), bucket.changes]));
  return [...placesOf(charge, metric, events)].map(([name, { place, own }]) => ({
    ...place,
    ...countAgain(metric, own, window),
    changes: changes.get(name) ?? [],
    isCounted: true,
  }));
}

function asMeasured({ filterId, group, units, events, values, changes }: MeasuredCase): Used {
  if (values.length > VALUES_MAX || changes.length > VALUES_MAX)
    throw new Error("too many events to look at each of them a second time");
  const worth = values.map(rational);
  return { filterId, group, units: rational(units), values: worth, events: BigInt(events), changes, isCounted: false };
}

function placeOf(charge: ChargeTerms, { filters }: MetricTerms, { properties }: EventCase): Bucket {
  const index = oracleFilter({ metricFilters: filters, chargeFilters: charge.filters, properties: { ...properties } });
  const filter = index === null ? null : charge.filters[index];
  const names = (filter?.properties ?? charge.properties).grouped_by ?? [];
  const group = Object.fromEntries(
    names.map((name) => [name, Object.hasOwn(properties, name) ? properties[name] || null : null]),
  );
  return { filterId: filter?.id ?? null, group };
}

export type Placed = EventCase & { position: number };

function countAgain(
  metric: MetricTerms,
  events: readonly Placed[],
  window: Window,
): Pick<Used, "units" | "values" | "events"> {
  const type = metric.aggregation_type.replace(/_agg$/, "") as AggregateCase["type"];
  const published = events.flatMap(({ at, position, properties }) => {
    const field = metric.field_name ?? "";
    const operation = properties.operation_type ?? "add";
    const value = Object.hasOwn(properties, field) ? properties[field] : undefined;
    // An event that neither adds nor removes does not affect a value.
    if (type === "unique_count" && operation !== "add" && operation !== "remove") return [];
    return [
      {
        at,
        position,
        ...(value === undefined ? {} : { value }),
        operation: operation === "remove" ? operation : "add",
      },
    ] as AggregateCase["events"];
  });
  const { recurring } = metric;
  const { units, eventsCount } = oracleAggregate({
    ...window,
    type,
    recurring,
    events: published,
    isWithoutDays: true,
  });
  const values = valuesOf(type, published, { units, eventsCount, metric, window });
  return { units, values, events: BigInt(values.length) };
}

type Counted = { units: Rational; eventsCount: number; metric: MetricTerms; window: Window };

/** For a count and a sum, each event has its own value; for the others, one event has the whole value. */
function valuesOf(
  type: AggregateCase["type"],
  events: AggregateCase["events"],
  { units, eventsCount, metric, window }: Counted,
): Rational[] {
  if (type === "count" || type === "unique_count") return Array.from({ length: eventsCount }, () => whole(1));
  const values = events
    .filter(({ at, value }) => isQuantity(value) && isSeen(at, metric, window))
    .sort(
      (one, other) =>
        Temporal.Instant.compare(Temporal.Instant.from(one.at), Temporal.Instant.from(other.at)) ||
        one.position - other.position,
    )
    .map(({ value }) => rational(value ?? "0"));
  if (type === "sum") return values;
  const worth = type === "max" ? values.findIndex((value) => isEqual(value, units)) : values.length - 1;
  return values.map((_, index) => (index === worth ? units : ZERO));
}

const isSeen = (at: string, { recurring }: MetricTerms, { from, to }: Window): boolean => {
  const isBefore = (one: string, other: string): boolean =>
    Temporal.Instant.compare(Temporal.Instant.from(one), Temporal.Instant.from(other)) < 0;
  return isBefore(at, to) && (recurring || !isBefore(at, from));
};
