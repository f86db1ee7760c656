/** A store of events in memory that is core's reference but for one mistake. */
import { type Charge, isRecurring } from "@tallystick/core/catalog";
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
import type { StoreUnderTest } from "../../packages/server/src/modules/usage/event-store.contract.ts";
import {
  type AcceptedEvent,
  type BucketScope,
  DIGEST_MODULUS,
  type UsageScope,
} from "../../packages/server/src/modules/usage/event-store.ts";
import type { SentEvent } from "../../packages/server/src/modules/usage/random-usage.contract.ts";
import type { Mistake } from "./mistakes.ts";

type Kept = UsageEvent &
  Pick<SentEvent, "transactionId" | "code" | "digest"> & {
    readonly externalSubscriptionId: string;
    readonly shard: number;
    readonly place: bigint;
  };

export function createNaiveStore(mistake: Mistake): StoreUnderTest {
  const kept = new Map<string, Kept[]>();
  const heads: bigint[] = [];
  const put: StoreUnderTest["put"] = async (externalSubscriptionId, events, shard) => {
    const own = kept.get(externalSubscriptionId) ?? [];
    kept.set(externalSubscriptionId, own);
    for (const event of events) {
      if (!mistake.storesRepeats && own.some(({ transactionId }) => transactionId === event.transactionId)) continue;
      const place = (heads[shard] ?? 0n) + 1n;
      heads[shard] = place;
      const properties = toTexts(event, mistake);
      own.push({ ...event, properties, externalSubscriptionId, shard, place, position: BigInt(own.length) });
    }
  };
  const seenBy = (charge: Charge, scope: UsageScope) =>
    see(mistake, kept.get(scope.externalSubscriptionId) ?? [], charge, scope);
  const listOf = (scope: BucketScope): AcceptedEvent[] =>
    seenBy(scope.charge, scope)
      .filter((event) => isIn(scope.charge, scope, event))
      .map((event) => toAccepted(scope.charge, event));
  return {
    organizationId: "",
    put,
    store: {
      takeCut: async () => [...heads],
      readUsage: async (_, __, scope, charges) =>
        charges.map((charge) => {
          const seen = seenBy(charge, scope);
          const buckets = (mistake.split ?? splitUsage)(charge, seen, scope.window, () => true);
          const measured = buckets.map((bucket) => ({
            ...bucket,
            digest: scope.cut === null ? null : digestOf(charge, bucket, seen),
          }));
          return { buckets: measured, eventsSeen: BigInt(seen.length) };
        }),
      wasLowered: async (_, scope, charges) =>
        charges.map((charge) => seenBy(charge, scope).some((event) => takesAway(charge.metric.aggregation, event))),
      readAccepted: async (_, __, scope, charges) =>
        charges.map((charge) =>
          seenBy(charge, scope)
            .sort((one, other) => (one.position < other.position ? -1 : 1))
            .map((event) => toAccepted(charge, event)),
        ),
      readEvents: async (_, scope) => listOf(scope),
      pageOfEvents: async (_, scope, { after, size }) => {
        const events = listOf(scope);
        const start = events.findIndex(({ position }) => position === after?.position) + 1;
        return events.slice(start, start + size);
      },
    },
  };
}

function toTexts({ properties }: SentEvent, { textOf }: Mistake): Record<string, string> {
  const texts = properties.flatMap(([name, json]): [string, string][] => {
    const canonical = canonicalText(json);
    if (!canonical.ok || canonical.value === null) return [];
    return [[name, textOf?.(json, canonical.value) ?? canonical.value]];
  });
  return Object.fromEntries(texts);
}

/** What the window of a charge sees up to the snapshot, in order of time. */
function see(
  mistake: Mistake,
  kept: readonly Kept[],
  { metric }: Charge,
  { window, historyFrom, cut, atEnd }: UsageScope,
): Kept[] {
  const since = isRecurring(metric.aggregation) ? historyFrom : window.from;
  const readable = kept
    .filter(({ code }) => code === metric.code)
    .filter(({ shard, place }) => cut === null || mistake.readsPastCut || place <= (cut[shard] ?? 0n))
    .filter(({ at }) => mistake.readsAllHistory || Temporal.Instant.compare(at, since) >= 0);
  const events = mistake.see?.(readable, window) ?? readable;
  return events
    .map((event, index) => ({ ...readable[index], ...event }) as Kept)
    .filter(({ at, shard, place }) => {
      const order = Temporal.Instant.compare(at, window.to);
      return order < 0 || (order === 0 && place <= (atEnd?.[shard] ?? 0n));
    })
    .filter(({ at }) => isRecurring(metric.aggregation) || Temporal.Instant.compare(at, window.from) >= 0)
    .sort((one, other) => Temporal.Instant.compare(one.at, other.at) || (one.position < other.position ? -1 : 1));
}

function isIn(charge: Charge, { filter, group }: Pick<Bucket, "filter" | "group">, event: UsageEvent): boolean {
  const taker = filterFor(charge, event);
  return (
    taker?.id === filter?.id && groupKey(groupOf((taker?.price ?? charge.price).groupedBy, event)) === groupKey(group)
  );
}

function digestOf(charge: Charge, bucket: Bucket, seen: readonly Kept[]): bigint {
  const counted = seen.filter((event) => isIn(charge, bucket, event) && isCounted(charge.metric.aggregation, event));
  return counted.reduce((sum, { digest }) => sum + digest, 0n) % DIGEST_MODULUS;
}

const toAccepted = ({ metric }: Charge, event: Kept): AcceptedEvent => ({
  id: event.transactionId,
  transactionId: event.transactionId,
  at: event.at,
  receivedAt: event.at,
  position: event.position,
  properties: event.properties,
  isCounted: isCounted(metric.aggregation, event),
});
