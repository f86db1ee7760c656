/** Decides what follows from an attempt, for the delivery and for the endpoint. No IO. */

/** The response of the endpoint, or a word for what happened instead. */
export type Result =
  | { httpStatus: number; retryAfter: string | undefined; error?: never }
  | { error: string; httpStatus?: never };

export type Before = {
  /** Attempts of the delivery, without this one and without those before it was last reopened. */
  attempts: number;
  failures: number;
  failingSince: Temporal.Instant | null;
  /** An attempt sent in the same batch has failed already. Both say the same about the endpoint, so they count as one failure. */
  isCounted: boolean;
  startedAt: Temporal.Instant;
  now: Temporal.Instant;
};

/** Seconds to wait after the first, the second … failed attempt. After the last of them the message is given up. */
export type RetrySchedule = readonly number[];

export type Outcome = {
  delivery: { status: "succeeded" | "failed" } | { status: "retrying"; readyAt: Temporal.Instant };
  endpoint: {
    failures: number;
    failing_since: Temporal.Instant | null;
    resting_until: Temporal.Instant | null;
    isDisabled: boolean;
  };
};

const TAKEN = [200, 201, 202, 204];
const GONE = 410;
/** Spreads retries, so that messages that failed together are not retried together. */
const JITTER_MAX = 0.1;
const REST_SECONDS_MAX = 60;
const RETRY_AFTER_SECONDS_MAX = 86_400;

export const isTaken = ({ httpStatus }: Result): boolean => httpStatus !== undefined && TAKEN.includes(httpStatus);

/** `chance` is from 0 to 1. */
export function decideOutcome(result: Result, before: Before, delays: RetrySchedule, chance: number): Outcome {
  if (isTaken(result))
    return {
      delivery: { status: "succeeded" },
      endpoint: { failures: 0, failing_since: null, resting_until: null, isDisabled: false },
    };
  const { now } = before;
  const failures = Math.max(1, before.failures + (before.isCounted ? 0 : 1));
  const failingSince = before.failingSince ?? before.startedAt;
  const requestedSeconds = result.httpStatus === undefined ? 0 : readRetryAfter(result.retryAfter, now);
  const delay = delays[before.attempts];
  const restSeconds = Math.max(requestedSeconds, restAfter(failures));
  const span = delays.reduce((sum, seconds) => sum + seconds, 0);
  const isHopeless = now.since(failingSince).total("seconds") >= span;
  return {
    delivery:
      delay === undefined || result.httpStatus === GONE
        ? { status: "failed" }
        : { status: "retrying", readyAt: later(now, Math.max(requestedSeconds, delay * (1 + JITTER_MAX * chance))) },
    endpoint: {
      failures,
      failing_since: failingSince,
      resting_until: restSeconds === 0 ? null : later(now, restSeconds),
      isDisabled: isHopeless || result.httpStatus === GONE,
    },
  };
}

const later = (now: Temporal.Instant, seconds: number): Temporal.Instant =>
  now.add({ milliseconds: Math.ceil(seconds * 1000) });

/**
 * A single failure may be due to the message. An endpoint that keeps failing is tried ever more rarely, no matter how much waits for it.
 */
const restAfter = (failures: number): number => (failures < 2 ? 0 : Math.min(2 ** (failures - 2), REST_SECONDS_MAX));

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const HTTP_DATE = /^[A-Z][a-z]{2}, (\d{2}) ([A-Z][a-z]{2}) (\d{4}) (\d{2}:\d{2}:\d{2}) GMT$/;

/** Reads seconds or an HTTP date; 0 if the header is missing or unreadable. */
function readRetryAfter(text: string | undefined, now: Temporal.Instant): number {
  if (text === undefined) return 0;
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : secondsUntil(text, now);
  return Math.min(Math.max(seconds, 0), RETRY_AFTER_SECONDS_MAX);
}

function secondsUntil(text: string, now: Temporal.Instant): number {
  const [, day, name = "", year, time] = HTTP_DATE.exec(text) ?? [];
  const month = String(MONTHS.indexOf(name) + 1).padStart(2, "0");
  try {
    return Temporal.Instant.from(`${year}-${month}-${day}T${time}Z`).since(now).total("seconds");
  } catch {
    return 0;
  }
}
