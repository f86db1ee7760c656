/** Which of two instants or days comes first. */

export const isBefore = (one: Temporal.Instant, other: Temporal.Instant): boolean =>
  Temporal.Instant.compare(one, other) < 0;

export const laterInstant = (one: Temporal.Instant, other: Temporal.Instant): Temporal.Instant =>
  isBefore(one, other) ? other : one;

export const earlierInstant = (one: Temporal.Instant, other: Temporal.Instant): Temporal.Instant =>
  isBefore(other, one) ? other : one;

export const laterDay = (one: Temporal.PlainDate, other: Temporal.PlainDate): Temporal.PlainDate =>
  Temporal.PlainDate.compare(one, other) < 0 ? other : one;

export const earlierDay = (one: Temporal.PlainDate, other: Temporal.PlainDate): Temporal.PlainDate =>
  Temporal.PlainDate.compare(other, one) < 0 ? other : one;

export const isAfterDay = (one: Temporal.PlainDate, other: Temporal.PlainDate): boolean =>
  Temporal.PlainDate.compare(one, other) > 0;
