/** Paces the client and the faults under it, so that every kill strikes while requests are in flight. */
import { setTimeout as pause } from "node:timers/promises";

const LOOK_EVERY_MS = 2;

export type Pace = {
  /** The client begins another request; waits while it is too far ahead. */
  begin: (signal: AbortSignal) => Promise<void>;
  /** How many requests the client may begin from now on, in all. */
  allow: (requests: number) => void;
  /** So many more than it has begun by now. */
  allowMore: (requests: number) => void;
  /** Resolves when the client has begun so many. */
  reached: (requests: number, signal: AbortSignal) => Promise<void>;
};

/** `begun`: in earlier runs. */
export function createPace(begunBefore: number): Pace {
  let begun = begunBefore;
  let allowed = begunBefore;
  const until = async (isSo: () => boolean, signal: AbortSignal): Promise<void> => {
    while (!isSo()) await pause(LOOK_EVERY_MS, undefined, { signal });
  };
  return {
    begin: async (signal) => {
      await until(() => begun < allowed, signal);
      begun++;
    },
    allow: (requests) => {
      allowed = Math.max(allowed, requests);
    },
    allowMore: (requests) => {
      allowed = Math.max(allowed, begun + requests);
    },
    reached: (requests, signal) => until(() => begun >= requests, signal),
  };
}
