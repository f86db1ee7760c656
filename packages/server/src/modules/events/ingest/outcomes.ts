/** The outcome of each request of a group. */
import { microsecondsOf } from "./event-timestamp.ts";
import type { ReadEvent } from "./read-events.ts";
import type { RepeatRow } from "./store.ts";
import { type EventOutcome, outcomeOf, toApiEvent } from "./to-api.ts";

/** The events as stored, in their API form; or which of them conflict with stored ones, in which case none is stored. */
export type Outcome = { events: string[] } | { conflicts: number[] };

/**
 * How the group was stored: its instant in microseconds, an id for each event, and the events that existed before. `first`: what each event
 * was when the same request was answered before.
 */
type Stored = {
  receivedAt: bigint;
  ids: readonly string[];
  repeats: readonly RepeatRow[];
  first?: readonly EventOutcome[] | undefined;
};

export function outcomesOf(requests: readonly (readonly ReadEvent[])[], stored: Stored): Outcome[] {
  const repeats = new Map(stored.repeats.map((repeat) => [repeat.ordinal, repeat]));
  let first = 0;
  return requests.map((events) => {
    const before = first;
    first += events.length;
    if (repeats.size > 0) {
      const conflicts = [...events.keys()].filter((index) => repeats.get(before + index + 1)?.is_same === false);
      if (conflicts.length > 0) return { conflicts };
    }
    return { events: events.map((event, index) => describe(event, before + index, stored, repeats)) };
  });
}

function describe(
  event: ReadEvent,
  index: number,
  { receivedAt, ids, first }: Stored,
  repeats: ReadonlyMap<number, RepeatRow>,
): string {
  const { transactionId, externalSubscriptionId, code, timestamp, properties } = event;
  const own = { transactionId, externalSubscriptionId, code };
  const repeat = repeats.size > 0 ? repeats.get(index + 1) : undefined;
  if (!repeat?.stored_id || !repeat.stored_timestamp || !repeat.stored_at)
    return toApiEvent({
      ...own,
      id: ids[index] ?? "",
      timestamp: timestamp ?? receivedAt,
      receivedAt,
      properties: properties.json,
      outcome: repeat ? "duplicate" : "created",
    });
  const wasNew = first?.[index] === "created";
  return toApiEvent({
    ...own,
    id: repeat.stored_id,
    timestamp: microsecondsOf(repeat.stored_timestamp),
    receivedAt: microsecondsOf(repeat.stored_at),
    // If the stored payload is gone, the repeat has the same one. A new event was answered with the text that was sent.
    properties: (wasNew ? null : repeat.stored_properties) ?? properties.json,
    outcome: wasNew ? "created" : "duplicate",
  });
}

/** What each event was: new, or sent before. */
export const outcomesIn = (outcome: Outcome | undefined): EventOutcome[] =>
  outcome && "events" in outcome ? outcome.events.map(outcomeOf) : [];
