/** What is sent in which request: every event 1 to 5 times, all shuffled, split into single events and batches. */
import { createRandom, createRandomFor } from "../../random.ts";

export type Plan = {
  seed: number;
  events: number;
  requests: number;
  /** Of events, each time counted. */
  sends: number;
  /** The numbers of the events of a request. */
  eventsOf: (request: number) => Uint32Array;
  /** Whether a request is followed by one with the same keys and another body. */
  hasConflict: (request: number) => boolean;
  /** Whether a request carries an Idempotency-Key. */
  isKeyed: (request: number) => boolean;
};

const TIMES_MAX = 5;
const BATCH_MAX = 100;
const SINGLE_SHARE = 0.3;
const CONFLICT_SHARE = 0.01;
const KEYED_SHARE = 0.05;

export function planRequests(seed: number, events: number): Plan {
  const random = createRandom(seed);
  const sends = shuffledSends(events, random);
  const ends: number[] = [];
  for (let end = 0; end < sends.length; ) {
    const size = random() < SINGLE_SHARE ? 1 : 2 + Math.floor(random() * (BATCH_MAX - 1));
    end = Math.min(end + size, sends.length);
    ends.push(end);
  }
  const isChosen = (request: number, share: number, series: number): boolean =>
    createRandomFor(seed + series, request)() < share;
  const hasConflict = (request: number): boolean => isChosen(request, CONFLICT_SHARE, 1);
  return {
    seed,
    events,
    requests: ends.length,
    sends: sends.length,
    eventsOf: (request) => sends.subarray(ends[request - 1] ?? 0, ends[request]),
    hasConflict,
    isKeyed: (request) => isChosen(request, KEYED_SHARE, 2),
  };
}

function shuffledSends(events: number, random: () => number): Uint32Array {
  const times = Uint8Array.from({ length: events }, () => 1 + Math.floor(random() * TIMES_MAX));
  const sends = new Uint32Array(times.reduce((sum, one) => sum + one, 0));
  let filled = 0;
  for (const [event, count] of times.entries()) {
    sends.fill(event, filled, filled + count);
    filled += count;
  }
  for (let last = sends.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    const moved = sends[last] ?? 0;
    sends[last] = sends[other] ?? 0;
    sends[other] = moved;
  }
  return sends;
}
