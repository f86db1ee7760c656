/** Clients who do random things to the credits of the same few customers, all at once. */
import { allOrNone } from "../all-or-none.ts";
import { createRandomFor } from "../random.ts";
import type { Send } from "../served-api.ts";
import { OPERATIONS, oneOf } from "./operations.ts";
import { type Client, knownOf, nothingRequested, type Requested, type Tally } from "./requested.ts";
import type { Customer } from "./world.ts";

export const CLIENTS = 32;

/** Each name as often as it weighs. */
const NAMES = Object.entries(OPERATIONS).flatMap(([name, { weight }]) => Array<string>(weight).fill(name));

export type FightOptions = {
  send: Send;
  now: () => Temporal.Instant;
  customers: readonly Customer[];
  count: number;
  seed: number;
  round: number;
  signal: AbortSignal;
  say: (line: string) => void;
};

export type Fight = { requested: Requested; tally: Tally };

/** Until so many requests were answered. What each client chooses is of the seed; who comes first is not. */
export async function fight(options: FightOptions): Promise<Fight> {
  const { send, now, count, seed, round, signal, say } = options;
  const requested = nothingRequested();
  const tally: Tally = { accepted: 0, refused: 0, unavailable: 0, failed: 0, paymentsRepeatedTenTimes: 0 };
  const customers = options.customers.map(knownOf);
  const work = (number: number) => async (stop: AbortSignal) => {
    const client: Client = {
      send,
      now,
      random: createRandomFor(seed, round * CLIENTS + number),
      requested,
      tally,
      say,
    };
    while (tally.accepted + tally.refused + tally.unavailable + tally.failed < count) {
      stop.throwIfAborted();
      const known = oneOf(client.random, customers);
      const operation = OPERATIONS[oneOf(client.random, NAMES) ?? ""];
      if (known && operation) await operation.do(client, known);
    }
  };
  await allOrNone(
    signal,
    Array.from({ length: CLIENTS }, (_, number) => work(number)),
  );
  return { requested, tally };
}
