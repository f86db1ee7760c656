/** The events that are sent: the same shape in every part of the measurement. */
import { randomUUID } from "node:crypto";

export type SentEvent = {
  transaction_id: string;
  external_subscription_id: string;
  code: string;
  timestamp: number;
  properties: Record<string, string | number>;
};

/** A share of events is sent again as it was, or with another body under its key. */
export type Mix = { repeats: number; conflicts: number };
export const ALL_NEW: Mix = { repeats: 0, conflicts: 0 };

const SUBSCRIPTIONS = 1000;
const REGIONS = ["eu-west-1", "eu-central-1", "us-east-1", "ap-south-1"];

/** Batches of `size` events; about 230 bytes each in JSON. */
export function makeBatches(count: number, size: number, mix: Mix = ALL_NEW): SentEvent[][] {
  let last: SentEvent | undefined;
  const batches: SentEvent[][] = [];
  for (let batch = 0; batch < count; batch++) {
    const events: SentEvent[] = [];
    for (let index = 0; index < size; index++) {
      const number = batch * size + index;
      const sent = last;
      // Repeats are of an earlier batch: one that was answered, most likely.
      if (sent && index === 0) last = undefined;
      if (sent && isNth(number, mix.conflicts)) events.push({ ...sent, code: "other_code" });
      else if (sent && isNth(number, mix.repeats)) events.push(sent);
      else events.push(makeEvent(number));
      last ??= events[0];
    }
    batches.push(events);
  }
  return batches;
}

const isNth = (number: number, share: number): boolean => share > 0 && number % Math.round(1 / share) === 0;

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
