/** The contract of every event store: up to a snapshot it returns exactly what core's reference returns for the same events. */
import { type Charge, isRecurring } from "@tallystick/core/catalog";
import { currency } from "@tallystick/core/money";
import { looksAtValues, rateBuckets } from "@tallystick/core/rating";
import {
  type Bucket,
  canonicalText,
  filterFor,
  groupKey,
  groupOf,
  isCounted,
  splitUsage,
  takesAway,
  type UsageEvent,
} from "@tallystick/core/usage";
import { ALONE } from "../../platform/postgres/batch.ts";
import {
  type AcceptedEvent,
  type BucketScope,
  type Cut,
  DIGEST_MODULUS,
  type EventStore,
  type MeasuredBucket,
  type UsageScope,
} from "./event-store.ts";
import type { SentEvent, UsageCase } from "./random-usage.contract.ts";

/** A store, and how events get into it. */
export type StoreUnderTest = {
  /** The store that takes the snapshots. */
  readonly store: EventStore;
  /** By name: stores that are fed from it, and must return the same. */
  readonly others?: Readonly<Record<string, EventStore>>;
  readonly organizationId: string;
  /** Accepts events in this order through one ingestion queue. Repeated events change nothing. */
  readonly put: (externalSubscriptionId: string, events: readonly SentEvent[], lane: number) => Promise<void>;
};

type KnownEvent = UsageEvent & Pick<SentEvent, "transactionId" | "code" | "digest">;
type Moment = {
  readonly cut: Cut | null;
  readonly accepted: readonly KnownEvent[];
  /** An earlier snapshot up to which events at the end of the window are also seen, and their ids. */
  readonly atEnd: { readonly cut: Cut; readonly ids: ReadonlySet<string> } | null;
};
type Known = Pick<Moment, "accepted" | "atEnd">;

const EUR = currency("EUR");
const PAGES = 2;

/** Sends the events of a case and reads its usage at every snapshot. Each line is a difference; there must be none. */
export async function findDifferences(
  target: StoreUnderTest,
  externalSubscriptionId: string,
  { charges, window, historyFrom, ...sent }: UsageCase,
): Promise<string[]> {
  const differences: string[] = [];
  const stores = Object.entries({ "the store": target.store, ...target.others });
  for (const moment of await send(target, externalSubscriptionId, sent)) {
    const { cut, accepted, atEnd: ended } = moment;
    // Events have whole microseconds: at any other instant there are none.
    const atEnd = window.to.epochNanoseconds % 1000n === 0n ? ended : null;
    const scope = { externalSubscriptionId, window, historyFrom, cut, atEnd: atEnd?.cut ?? null };
    for (const [name, store] of stores) {
      const found = await compareStore({ ...target, store }, charges, scope, { accepted, atEnd });
      differences.push(
        ...found.map((difference) => `${name}, snapshot [${cut}], at end [${atEnd?.cut ?? null}], ${difference}`),
      );
    }
  }
  return differences;
}

async function compareStore(
  target: StoreUnderTest,
  charges: readonly Charge[],
  scope: UsageScope,
  known: Known,
): Promise<string[]> {
  const differences: string[] = [];
  const measured = await target.store.readUsage(ALONE, target.organizationId, scope, charges);
  const inOrder = await target.store.readAccepted(ALONE, target.organizationId, scope, charges);
  const lowered = await target.store.wasLowered(target.organizationId, scope, charges);
  for (const [index, charge] of charges.entries()) {
    const seen = seenBy(charge, known, scope);
    const bucket = chooseBucket(charge, seen, scope);
    const name = `charge ${index} (${charge.metric.aggregation.type}, ${charge.price.pricing.model})`;
    const found = [
      ...compareBuckets(charge, measured[index]?.buckets ?? [], seen, scope),
      ...differencesOf([`seen: ${seen.length}`], [`seen: ${measured[index]?.eventsSeen}`]),
      ...compareEvents(charge, seen.toSorted(byAcceptance), inOrder[index] ?? []),
      ...differencesOf(
        [`lowered: ${seen.some((event) => takesAway(charge.metric.aggregation, event))}`],
        [`lowered: ${lowered[index]}`],
      ),
      ...(await compareWhole(target, bucket)),
      ...(index === known.accepted.length % charges.length ? await comparePages(target, bucket) : []),
    ];
    differences.push(...found.map((difference) => `${name}: ${difference}`));
  }
  return differences;
}

/** The snapshots that were taken between batches, each with the events accepted until then. */
async function send(
  { store, organizationId, put }: StoreUnderTest,
  externalSubscriptionId: string,
  { batches, cutAfter }: Pick<UsageCase, "batches" | "cutAfter">,
): Promise<Moment[]> {
  const moments: Moment[] = [];
  for (let count = 0; count <= batches.length; count++) {
    if (count === cutAfter || count === batches.length) {
      const accepted = acceptedOf(batches.slice(0, count).flatMap(({ events }) => events));
      // Every other case ends with all events, without a snapshot.
      const cut = count > cutAfter && cutAfter % 2 === 0 ? null : await store.takeCut(organizationId);
      moments.push({ cut, accepted, atEnd: null });
    }
    const batch = batches[count];
    if (batch) await put(externalSubscriptionId, batch.events, batch.lane);
  }
  const [early, last] = [moments[0], moments.at(-1)];
  if (!early?.cut || !last) return moments;
  const ids = new Set(early.accepted.map(({ transactionId }) => transactionId));
  return [...moments, { ...last, atEnd: { cut: early.cut, ids } }];
}

function acceptedOf(events: readonly SentEvent[]): KnownEvent[] {
  const first = new Map(events.toReversed().map((event) => [event.transactionId, event]));
  return [...new Set(events.map(({ transactionId }) => transactionId))].flatMap((id, index) => {
    const event = first.get(id);
    return event ? [{ ...event, position: BigInt(index), properties: toCanonical(event) }] : [];
  });
}

function toCanonical({ properties }: Pick<SentEvent, "properties">): Record<string, string> {
  const texts = properties.flatMap(([name, json]): [string, string][] => {
    const text = canonicalText(json);
    if (!text.ok) throw new Error(`${json} is not an accepted property: ${text.error}`);
    return text.value === null ? [] : [[name, text.value]];
  });
  return Object.fromEntries(texts);
}

/** The events that the window of a charge sees, in order of time. */
function seenBy({ metric }: Charge, { accepted, atEnd }: Known, { window, historyFrom }: UsageScope): KnownEvent[] {
  const since = isRecurring(metric.aggregation) ? historyFrom : window.from;
  return accepted
    .filter(({ code }) => code === metric.code)
    .filter(({ at }) => Temporal.Instant.compare(at, since) >= 0)
    .filter(({ at, transactionId }) => {
      const order = Temporal.Instant.compare(at, window.to);
      return order < 0 || (order === 0 && atEnd !== null && atEnd.ids.has(transactionId));
    })
    .sort((one, other) => Temporal.Instant.compare(one.at, other.at) || byAcceptance(one, other));
}

const byAcceptance = (one: UsageEvent, other: UsageEvent): number => (one.position < other.position ? -1 : 1);

const isIn = (charge: Charge, { filter, group }: Pick<Bucket, "filter" | "group">, event: KnownEvent): boolean => {
  const taker = filterFor(charge, event);
  const { groupedBy } = taker?.price ?? charge.price;
  return taker?.id === filter?.id && groupKey(groupOf(groupedBy, event)) === groupKey(group);
};

function compareBuckets(
  charge: Charge,
  measured: readonly MeasuredBucket[],
  seen: readonly KnownEvent[],
  scope: UsageScope,
): string[] {
  const expected = splitUsage(charge, seen, scope.window, () => true).map((bucket): MeasuredBucket => {
    const counted = seen.filter((event) => isIn(charge, bucket, event) && isCounted(charge.metric.aggregation, event));
    const digest = counted.reduce((sum, { digest }) => sum + digest, 0n) % DIGEST_MODULUS;
    return { ...bucket, digest: scope.cut === null ? null : digest };
  });
  return differencesOf(describeBuckets(charge, expected, scope), describeBuckets(charge, measured, scope));
}

/** Everything that a bill depends on, as text. Single values and changes only if a price needs them. */
function describeBuckets(charge: Charge, buckets: readonly MeasuredBucket[], { window }: UsageScope): string[] {
  const fees = rateBuckets(charge, buckets, { window, currency: EUR });
  return buckets.map(({ filter, group, quantity, derivation, digest }, index) => {
    const { values, changes, ...sums } = quantity;
    const single = { ...(looksAtValues(charge) ? { values } : {}), ...(charge.isProrated ? { changes } : {}) };
    return textOf({
      filter: filter?.id,
      group: groupKey(group),
      ...sums,
      ...single,
      derivation,
      digest,
      fee: fees[index],
    });
  });
}

/** One bucket of a charge, with its events. Queries take most of the time, so not every bucket is checked. */
function chooseBucket(charge: Charge, seen: readonly KnownEvent[], scope: UsageScope) {
  const buckets = splitUsage(charge, seen, scope.window, () => true);
  const { filter, group } = buckets[seen.length % buckets.length] ?? { filter: null, group: {} };
  const bucket: BucketScope = { ...scope, charge, filter, group };
  return { bucket, expected: seen.filter((event) => isIn(charge, bucket, event)) };
}

type ChosenBucket = ReturnType<typeof chooseBucket>;

async function compareWhole(
  { store, organizationId }: StoreUnderTest,
  { bucket, expected }: ChosenBucket,
): Promise<string[]> {
  return compareEvents(bucket.charge, expected, await store.readEvents(organizationId, bucket));
}

async function comparePages(
  { store, organizationId }: StoreUnderTest,
  { bucket, expected }: ChosenBucket,
): Promise<string[]> {
  const size = Math.max(1, Math.ceil(expected.length / PAGES));
  const paged: AcceptedEvent[] = [];
  let page: AcceptedEvent[];
  do {
    page = await store.pageOfEvents(organizationId, bucket, { after: paged.at(-1) ?? null, size });
    paged.push(...page);
  } while (page.length > 0 && paged.length <= expected.length);
  return compareEvents(bucket.charge, expected, paged);
}

const compareEvents = (charge: Charge, expected: readonly KnownEvent[], listed: readonly AcceptedEvent[]): string[] =>
  differencesOf(describeEvents(charge, expected), describeEvents(charge, listed)).map((line) => `events, ${line}`);

/** In the given order, each with its place in order of acceptance and the properties that the charge uses. */
function describeEvents(
  charge: Charge,
  events: readonly (UsageEvent & { readonly transactionId: string; readonly isCounted?: boolean })[],
): string[] {
  const { aggregation } = charge.metric;
  const places = events.map(({ position }) => position).sort((one, other) => (one < other ? -1 : 1));
  return events.map((event) => {
    const { transactionId, at, position, properties } = event;
    const taker = filterFor(charge, event);
    const field = aggregation.type === "count" ? "" : aggregation.field;
    return textOf({
      transactionId,
      at,
      place: places.indexOf(position),
      isCounted: event.isCounted ?? isCounted(aggregation, event),
      text: Object.hasOwn(properties, field) ? properties[field] : null,
      operation: aggregation.type === "unique_count" ? properties.operation_type : null,
      filter: taker?.id,
      group: groupKey(groupOf((taker?.price ?? charge.price).groupedBy, event)),
    });
  });
}

/** Decimals and instants have their own text form. */
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? `${part}n` : part));

function differencesOf(expected: readonly string[], actual: readonly string[]): string[] {
  const places = Array.from({ length: Math.max(expected.length, actual.length) }, (_, index) => index);
  return places
    .filter((index) => expected[index] !== actual[index])
    .map((index) => `expected ${expected[index] ?? "nothing"}, the store returned ${actual[index] ?? "nothing"}`);
}
