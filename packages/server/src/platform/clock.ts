/** The only place that asks the system for the time. */
export type Clock = { now: () => Temporal.Instant };

/** Whole microseconds: what Postgres keeps, so that an instant read back equals the instant written. */
export const systemClock: Clock = {
  now: () => Temporal.Now.instant().round({ smallestUnit: "microsecond", roundingMode: "floor" }),
};
