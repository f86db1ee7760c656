/** Requests per second and address, for what needs no key and for keys that do not work: without a key, there is nothing else to count by. */
import { refusal } from "./problem.ts";

export type AddressLimit = {
  isReached: (address: string) => boolean;
  count: (address: string) => void;
};

const WINDOW_MS = 1_000;
/** More addresses than these are forgotten together, so that many addresses cannot fill the memory. */
const ADDRESSES_MAX = 100_000;

/** `max` 0: no limit. The window of an address begins with its first request. */
export function createAddressLimit(max: number): AddressLimit {
  const windows = new Map<string, { begun: number; count: number }>();
  const current = (address: string) => {
    const known = windows.get(address);
    return known && performance.now() - known.begun < WINDOW_MS ? known : undefined;
  };
  return {
    isReached: (address) => max > 0 && (current(address)?.count ?? 0) >= max,
    count: (address) => {
      const known = current(address);
      if (known) known.count++;
      else {
        if (windows.size >= ADDRESSES_MAX) windows.clear();
        windows.set(address, { begun: performance.now(), count: 1 });
      }
    },
  };
}

export const tooManyFromAddress = () => refusal(429, "rate_limited", { retryAfterSeconds: 1 });
