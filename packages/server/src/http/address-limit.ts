/** Requests per second and address, for what needs no key and for keys that do not work: without a key, there is nothing else to count by. */
import type { Limiter } from "../platform/limiter/limiter.ts";
import { refusal } from "./problem.ts";

export type AddressLimit = {
  isReached: (address: string) => Promise<boolean>;
  /** Refuses what is over the limit. */
  count: (address: string) => Promise<void>;
};

export function createAddressLimit(max: number, limiter: Limiter): AddressLimit {
  const ask = async (address: string, by: 0 | 1) =>
    max > 0 && (await limiter.admit({ rate: { name: `address ${address}`, max, by } })).refusedFor !== null;
  return {
    isReached: (address) => ask(address, 0),
    count: async (address) => {
      if (await ask(address, 1)) throw refusal(429, "rate_limited", { retryAfterSeconds: 1 });
    },
  };
}
