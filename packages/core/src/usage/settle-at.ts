/** Events at the exact instant of a change: events accepted before the change count as earlier. */
import type { UsageEvent } from "./event.ts";

export function settleAt<Event extends UsageEvent>(
  events: readonly Event[],
  instant: Temporal.Instant,
  wasAccepted: (event: Event) => boolean,
): Event[] {
  const before = instant.subtract({ nanoseconds: 1 });
  return events.map((event) => (event.at.equals(instant) && wasAccepted(event) ? { ...event, at: before } : event));
}
