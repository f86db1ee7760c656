/** The port for reading usage. It is a port because a columnar store takes over when a period has many millions of events. */
import type { Charge, ChargeFilter } from "@tallystick/core/catalog";
import type { Bucket, Group, UsageEvent, UsageWindow } from "@tallystick/core/usage";
import type { Barrier } from "../../platform/postgres/batch.ts";

/**
 * A snapshot of events: at index n the last position of shard n that a reader sees. Events accepted later do not change what is read up
 * to a snapshot.
 */
export type Cut = readonly bigint[];

/** The subscription, the window and the snapshot to read. */
export type UsageScope = {
  readonly externalSubscriptionId: string;
  readonly window: UsageWindow;
  /** Recurring metrics see nothing before it: the start of this customer's first subscription with that external id. */
  readonly historyFrom: Temporal.Instant;
  /** The snapshot; null: everything accepted so far, to show and not to bill, and without digests. */
  readonly cut: Cut | null;
  /** Events at the exact end of the window are also seen up to this snapshot: they came before the change that ended the window. */
  readonly atEnd?: Cut | null;
};

/** A bucket as returned by `splitUsage`, and a digest of the events that it counted. */
export type MeasuredBucket = Bucket & {
  /** The sum of their digests modulo 2^128; `quantity.eventsFolded` is their number. Null without a snapshot. */
  readonly digest: bigint | null;
};

/** The usage of a charge. */
export type MeasuredCharge = {
  readonly buckets: readonly MeasuredBucket[];
  /** All events in the window, including those that lack the property that the metric counts. */
  readonly eventsSeen: bigint;
};

/** The events of one filter and group of a charge. */
export type BucketScope = UsageScope & {
  readonly charge: Charge;
  /** null: events that match no filter. */
  readonly filter: ChargeFilter | null;
  readonly group: Group;
};

/** An event with the properties that its charge uses. Its position orders it among all events of its organization. */
export type AcceptedEvent = UsageEvent & {
  readonly id: string;
  readonly transactionId: string;
  readonly receivedAt: Temporal.Instant;
  /** false: it lacks the property that the metric counts. */
  readonly isCounted: boolean;
};

export type EventStore = {
  /** A snapshot of everything accepted so far. */
  readonly takeCut: (organizationId: string) => Promise<Cut>;
  /**
   * The usage of each charge: its buckets exactly as `splitUsage` returns them. The number of queries does not depend on the number of
   * charges, shared with the other pieces of work at the barrier. `quantity.values` is filled if a price needs single events, `quantity.changes` if it is prorated; otherwise they are empty.
   */
  readonly readUsage: (
    barrier: Barrier,
    organizationId: string,
    scope: UsageScope,
    charges: readonly Charge[],
  ) => Promise<MeasuredCharge[]>;
  /** For each charge, whether an event that it sees can have lowered its total (core's `takesAway`). Then the order of events matters. */
  readonly wasLowered: (organizationId: string, scope: UsageScope, charges: readonly Charge[]) => Promise<boolean[]>;
  /** All events that each charge sees, in order of acceptance, for fees per event; in as few queries. */
  readonly readAccepted: (
    barrier: Barrier,
    organizationId: string,
    scope: UsageScope,
    charges: readonly Charge[],
  ) => Promise<AcceptedEvent[][]>;
  /** All events of a bucket in order of time; their positions give the order of acceptance. */
  readonly readEvents: (organizationId: string, scope: BucketScope) => Promise<AcceptedEvent[]>;
  /** The next events of a bucket in order of time, for an explanation. */
  readonly pageOfEvents: (
    organizationId: string,
    scope: BucketScope,
    page: { readonly after: Pick<UsageEvent, "at" | "position"> | null; readonly size: number },
  ) => Promise<AcceptedEvent[]>;
};

/** Sums of digests are compared modulo this. */
export const DIGEST_MODULUS = 2n ** 128n;
