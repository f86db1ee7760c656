/** Loads what was charged in advance so far, from the events of the period. */

import { type Charge, type ChargeFilter, isRecurring } from "@tallystick/core/catalog";
import type { Currency } from "@tallystick/core/money";
import {
  dependsOnAcceptance,
  type InAdvanceTally,
  type InAdvanceTerms,
  inAdvanceTerms,
  type OpenTally,
  openTallies,
  tallyOf,
  tallyOfTotal,
} from "@tallystick/core/rating";
import type { Accepted } from "@tallystick/core/subscription";
import {
  aggregate,
  filterFor,
  type Group,
  groupKey,
  groupOf,
  isInUse,
  replayInAdvance,
  settleAt,
  type UsageEvent,
} from "@tallystick/core/usage";
import { ALONE } from "../../../platform/postgres/batch.ts";
import { type AcceptedEvent, type EventStore, isUpTo, type UsageScope } from "../../usage/index.ts";

/** An end in the middle of the window: of the events from then on, only those with these ids count, which had a fee before. */
export type Ended = { at: Temporal.Instant; billed: ReadonlySet<string> };

type Requested = {
  charge: Charge;
  currency: Currency;
  scope: UsageScope;
  /** Positions of events that are not billed, or not yet. Later events are billed as if these did not exist. */
  leftOut: ReadonlySet<bigint>;
  ended: Ended | null;
  /** For a recurring metric: events at the start of the window that were accepted before it, with the plan that was replaced then. */
  acceptedBefore: Accepted | null;
};

/** Everything that the fee of one event depends on. */
export type LoadedTally = {
  filter: ChargeFilter | null;
  group: Group;
  terms: InAdvanceTerms;
  tally: InAdvanceTally;
  /** For a unique count: whether the event's value is in use before it. */
  wasActive: boolean;
};

/** For the filter and group of the event: everything accepted in the period up to the scope's snapshot. */
export async function loadTally(
  events: EventStore,
  organizationId: string,
  { charge, currency, scope, leftOut, ended, acceptedBefore }: Requested,
  event: UsageEvent,
): Promise<LoadedTally> {
  const filter = filterFor(charge, event);
  const group = groupOf((filter?.price ?? charge.price).groupedBy, event);
  const terms = inAdvanceTerms(charge, filter, { window: scope.window, currency });
  const { aggregation } = terms;
  if (leftOut.size === 0 && ended === null && (await isKnownByTotal(events, organizationId, charge, scope))) {
    const [used] = await events.readUsage(ALONE, organizationId, scope, [charge]);
    const own = used?.buckets.find(
      (bucket) => bucket.filter?.id === filter?.id && groupKey(bucket.group) === groupKey(group),
    );
    const quantity = own?.quantity ?? aggregate(aggregation, [], scope.window);
    return { filter, group, terms, tally: tallyOfTotal(terms, quantity), wasActive: false };
  }
  const found = await events.readEvents(organizationId, { ...scope, charge, filter, group });
  const counted = found.filter((one) => !leftOut.has(one.position) && isWithin(one, ended));
  const accepted = settleAtStart(counted, { charge, scope, acceptedBefore });
  const replay = replayInAdvance(aggregation, accepted, scope.window);
  return { filter, group, terms, tally: tallyOf(terms, replay), wasActive: isInUse(aggregation, event, replay.active) };
}

/** Like `loadTally`, for all filters and groups of a charge with events up to the scope's snapshot. */
export async function loadTallies(
  events: EventStore,
  organizationId: string,
  { charge, currency, scope, leftOut, ended, acceptedBefore }: Requested,
): Promise<OpenTally[]> {
  const context = { window: scope.window, currency };
  if (leftOut.size > 0 || ended !== null || !(await isKnownByTotal(events, organizationId, charge, scope))) {
    const [accepted = []] = await events.readAccepted(ALONE, organizationId, scope, [charge]);
    const counted = accepted.filter((one) => !leftOut.has(one.position) && isWithin(one, ended));
    return openTallies(charge, settleAtStart(counted, { charge, scope, acceptedBefore }), context);
  }
  const [{ buckets } = { buckets: [] }] = await events.readUsage(ALONE, organizationId, scope, [charge]);
  return buckets
    .filter(({ quantity }) => quantity.eventsFolded > 0n)
    .map(({ filter, group, quantity }) => {
      const tally = tallyOfTotal(inAdvanceTerms(charge, filter, context), quantity);
      return { filter, group, tally, active: new Set() };
    });
}

const isWithin = ({ at, id }: AcceptedEvent, ended: Ended | null): boolean =>
  ended === null || Temporal.Instant.compare(at, ended.at) < 0 || ended.billed.has(id);

const settleAtStart = (
  events: readonly AcceptedEvent[],
  { charge, scope, acceptedBefore }: Pick<Requested, "charge" | "scope" | "acceptedBefore">,
): readonly AcceptedEvent[] =>
  isRecurring(charge.metric.aggregation) ? settleAt(events, scope.window.from, isUpTo(acceptedBefore)) : events;

/** If the total is enough, no event has to be read. */
async function isKnownByTotal(
  events: EventStore,
  organizationId: string,
  charge: Charge,
  scope: UsageScope,
): Promise<boolean> {
  const { aggregation } = charge.metric;
  if (aggregation.type === "count") return true;
  if (aggregation.type !== "sum" || aggregation.isRecurring) return false;
  if (dependsOnAcceptance(charge, { wasLowered: false })) return false;
  const [wasLowered = true] = await events.wasLowered(organizationId, scope, [charge]);
  return !wasLowered;
}
