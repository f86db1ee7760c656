/** Where usage is read from: a port, because a columnar store takes over where one period holds many millions of events. */
import type { Charge, ChargeFilter } from "@tallystick/core/catalog";
import type { Bucket, Group, UsageEvent, UsageWindow } from "@tallystick/core/usage";
import type { Barrier } from "../../platform/postgres/batch.ts";

/**
 * How far a reader looks: at index n the last position of shard n that it sees. What is accepted later does not change what is
 * read up to a cut.
 */
export type Cut = readonly bigint[];

/** Whose events, which of them, and up to where. */
export type UsageScope = {
  readonly externalSubscriptionId: string;
  readonly window: UsageWindow;
  /** Recurring metrics see nothing before it: when this customer's first subscription with that external id began. */
  readonly historyFrom: Temporal.Instant;
  /** null: everything accepted until now, to look at and not to bill, and without digests. */
  readonly cut: Cut | null;
  /** Events at the end of the window itself are seen, too, as far as they are up to this: they came before what ended it. */
  readonly atEnd?: Cut | null;
};

/** A bucket as `splitUsage` gives it, and the set of events that it counted. */
export type MeasuredBucket = Bucket & {
  /** The sum of their digests modulo 2^128; `quantity.eventsFolded` is their number. null where nobody asked up to a cut. */
  readonly digest: bigint | null;
};

/** What a charge used. */
export type MeasuredCharge = {
  readonly buckets: readonly MeasuredBucket[];
  /** All events in the window, those that lack what the metric counts among them. */
  readonly eventsSeen: bigint;
};

/** The events of one filter and group of a charge. */
export type BucketScope = UsageScope & {
  readonly charge: Charge;
  /** null: events that no filter takes. */
  readonly filter: ChargeFilter | null;
  readonly group: Group;
};

/** An event with the properties that its charge looks at. Its position orders it among all of its organization. */
export type AcceptedEvent = UsageEvent & {
  readonly id: string;
  readonly transactionId: string;
  readonly receivedAt: Temporal.Instant;
  /** false: it lacks what the metric counts. */
  readonly isCounted: boolean;
};

export type EventStore = {
  /** Everything accepted until now. */
  readonly takeCut: (organizationId: string) => Promise<Cut>;
  /**
   * What each charge used: its buckets exactly as `splitUsage` gives them, in a number of queries that does not depend on the number of
   * charges, shared with the other pieces of work at the barrier. `quantity.values` is filled where a price looks at single events, `quantity.changes` where it is prorated; elsewhere
   * they are empty.
   */
  readonly readUsage: (
    barrier: Barrier,
    organizationId: string,
    scope: UsageScope,
    charges: readonly Charge[],
  ) => Promise<MeasuredCharge[]>;
  /** Of each charge, whether an event that it sees can have lowered its total (core's `takesAway`): then its order matters. */
  readonly wasLowered: (organizationId: string, scope: UsageScope, charges: readonly Charge[]) => Promise<boolean[]>;
  /** All events that each charge sees, in order of acceptance, for what is billed event by event; in as few queries. */
  readonly readAccepted: (
    barrier: Barrier,
    organizationId: string,
    scope: UsageScope,
    charges: readonly Charge[],
  ) => Promise<AcceptedEvent[][]>;
  /** All events of a bucket in order of time; by their positions they can be put in order of acceptance. */
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
