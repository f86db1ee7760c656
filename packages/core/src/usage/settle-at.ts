/** Events at the very instant at which something changed: what was accepted before the change counts as of the moment before it. */
import type { UsageEvent } from "./event.ts";

export function settleAt<Event extends UsageEvent>(
  events: readonly Event[],
  instant: Temporal.Instant,
  wasAccepted: (event: Event) => boolean,
): Event[] {
  const before = instant.subtract({ nanoseconds: 1 });
  return events.map((event) => (event.at.equals(instant) && wasAccepted(event) ? { ...event, at: before } : event));
}
