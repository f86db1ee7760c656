/** The only place that asks the system for the time. */
export type Clock = { now: () => Temporal.Instant };

/** Whole microseconds, the precision of Postgres, so that an instant read back equals the instant written. */
export const systemClock: Clock = {
  now: () => Temporal.Now.instant().round({ smallestUnit: "microsecond", roundingMode: "floor" }),
};
