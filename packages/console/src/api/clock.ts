/** The time of the reader's machine: for what is shown and proposed. What counts is decided by the service. */
export const now = (): Temporal.Instant => Temporal.Now.instant();
