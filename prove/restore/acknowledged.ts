/** What a client was told, and when, by the clock of the machine: what a restore must bring back is worked out from this alone. */
import { systemClock } from "../../packages/server/src/platform/clock.ts";

/** Microseconds since 1970. */
export type Micros = number;

export const toMicros = (instant: Temporal.Instant): Micros => Number(instant.epochNanoseconds / 1000n);
export const nowMicros = (): Micros => toMicros(systemClock.now());

/** `sentAt`: before it was sent first. `at`: after its answer. */
export type Acknowledged = { sentAt: Micros; at: Micros | undefined; id: string | undefined };

export type Log = {
  /** By the number of the event. */
  events: Acknowledged[];
  /** By name: customers with a subscription and events in their weeks, when all of it was acknowledged. */
  customers: Map<string, Micros>;
};

export const openLog = (): Log => ({ events: [], customers: new Map() });
