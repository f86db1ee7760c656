/** What is broken under the client, and when: spread over the whole load, each while requests are in flight. */
import { setTimeout as pause } from "node:timers/promises";
import { createRandomFor } from "../../random.ts";
import type { Pace } from "./pace.ts";
import type { Plan } from "./plan.ts";

export const FAULT_KINDS = ["apiKills", "postgresKills", "cuts"] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];
export type FaultCounts = Record<FaultKind, number>;

type Fault = { kind: FaultKind /** When the client has begun so many requests. */; at: number; chosen: number };

/** For each kind: gets ready, and returns what does it. */
export type Strikes = Record<FaultKind, (chosen: number, signal: AbortSignal) => Promise<() => Promise<void>>>;

export type BreakOptions = {
  plan: Plan;
  pace: Pace;
  strikes: Strikes;
  /** How many there are to be, and how many there have been. */
  requested: FaultCounts;
  done: FaultCounts;
  onDone: (kind: FaultKind) => Promise<void>;
};

/** After the last one, so much is sent without disturbance: a drop that comes late on a slow machine still finds a commit. */
const QUIET_SHARE = 0.15;
/** So far the client may run ahead of a fault: enough for requests to be in flight when it strikes. */
const AHEAD_REQUESTS = 48;
const GO_ON_EVERY_MS = 1000;
/** The client's steps must not decide at which moment of the service's it is. */
const DELAY_MS_MAX = 15;

export async function breakThings(options: BreakOptions, signal: AbortSignal): Promise<void> {
  const { plan, pace, strikes, onDone } = options;
  for (const { kind, at, chosen } of faultsLeft(options)) {
    const strike = await strikes[kind](chosen, signal);
    pace.allow(at + AHEAD_REQUESTS);
    await pace.reached(at, signal);
    await pause(chosen * DELAY_MS_MAX, undefined, { signal });
    // A drop waits for a commit, and there is none once the client has come to its limit: it goes on until that happened.
    const goingOn = setInterval(() => pace.allowMore(AHEAD_REQUESTS), GO_ON_EVERY_MS);
    try {
      await strike();
    } finally {
      clearInterval(goingOn);
    }
    await onDone(kind);
  }
  pace.allow(plan.requests);
}

function faultsLeft({ plan, requested: expected, done }: BreakOptions): Fault[] {
  const end = plan.requests * (1 - QUIET_SHARE);
  const faults = FAULT_KINDS.flatMap((kind, series) =>
    Array.from({ length: expected[kind] }, (_, index): Fault => {
      const random = createRandomFor(plan.seed + 10 + series, index);
      return { kind, at: Math.floor(((index + random()) / expected[kind]) * end), chosen: random() };
    }).slice(done[kind]),
  );
  return faults.sort((one, other) => one.at - other.at);
}
