/** The sent events, of the same shape in every part of the measurement. */
import { randomUUID } from "node:crypto";

export type SentEvent = {
  transaction_id: string;
  external_subscription_id: string;
  code: string;
  timestamp: number;
  properties: Record<string, string | number>;
};

/** The shares of events that are repeated unchanged, or with another body under the same key. */
export type Mix = { repeats: number; conflicts: number };
export const ALL_NEW: Mix = { repeats: 0, conflicts: 0 };

const SUBSCRIPTIONS = 1000;
/** Coprime with the number of places: events are spread over all of them, but not in order. */
const STRIDE = 7919;
const PLACES = 10_000;
/** From an event to its repeat: more than are in flight at once, and never to another repeat. */
const DISTANCE = 10_001;
const REGIONS = ["eu-west-1", "eu-central-1", "us-east-1", "ap-south-1"];

/** Batches of `size` events of about 230 bytes of JSON each. No two repeats or conflicts share an event. */
export function makeBatches(count: number, size: number, { repeats, conflicts }: Mix = ALL_NEW): SentEvent[][] {
  const made: SentEvent[] = [];
  for (let number = 0; number < count * size; number++) {
    const place = (number * STRIDE) % PLACES;
    const sent = made[number - DISTANCE];
    if (sent && place < conflicts * PLACES) made.push({ ...sent, code: "other_code" });
    else made.push(sent && place < (conflicts + repeats) * PLACES ? sent : makeEvent(number));
  }
  return Array.from({ length: count }, (_, batch) => made.slice(batch * size, (batch + 1) * size));
}

const makeEvent = (number: number): SentEvent => ({
  transaction_id: randomUUID(),
  external_subscription_id: `sub_${String(number % SUBSCRIPTIONS).padStart(6, "0")}`,
  code: "api_calls",
  timestamp: 1_790_000_000 + (number % 86_400),
  properties: {
    bytes: (number % 100_000) + 0.5,
    region: REGIONS[number % REGIONS.length] ?? "",
    endpoint: "/v1/items",
    tokens: number % 4096,
  },
});
