/** What the sample customers use in a month. The same each time: dates count from the first of the month, and chance has a seed. */
import { CODES, CUSTOMERS, type SampleCustomer } from "./company.ts";

export type SampleEvent = {
  transaction_id: string;
  external_subscription_id: string;
  code: string;
  timestamp: string;
  properties: Record<string, string | number>;
};

export type Chance = () => number;

/** Numbers from 0 to 1. */
export function createChance(seed = 42): Chance {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

type Month = {
  /** From 0. */
  number: number;
  month: Temporal.PlainYearMonth;
  /** The last day with usage. Every month has 28. */
  lastDay: number;
  subscriptionOf: (customer: SampleCustomer) => string;
  chance: Chance;
};

/** Of all customers, in the order of the customers. */
export const usageOf = (month: Month): SampleEvent[] => CUSTOMERS.flatMap((customer) => usageOfOne(customer, month));

function usageOfOne(customer: SampleCustomer, month: Month): SampleEvent[] {
  const { number, lastDay, chance } = month;
  const { size } = customer;
  const events: SampleEvent[] = [];
  const use = (code: string, day: number, properties: SampleEvent["properties"]): void => {
    const at = { hour: 1 + Math.floor(chance() * 20), minute: Math.floor(chance() * 60) };
    const timestamp = `${month.month.toPlainDate({ day }).toPlainDateTime(at).toString()}Z`;
    const subscription = month.subscriptionOf(customer);
    const transaction_id = `${subscription}-${number}-${events.length}`;
    events.push({ transaction_id, external_subscription_id: subscription, code, timestamp, properties });
  };
  const growth = 1 + number * 0.13;
  for (let day = 2; day <= lastDay; day++) {
    const amount = size * growth * (0.7 + chance() * 0.6);
    use(CODES.tokens, day, { tokens: Math.round(120_000 * amount), model: "small" });
    if (chance() < 0.6) use(CODES.tokens, day, { tokens: Math.round(52_000 * amount), model: "large" });
    if (chance() < 0.05) use(CODES.training, day, { amount: (20 + chance() * 180).toFixed(2) });
  }
  for (let call = 0; call < Math.round(40 * size); call++)
    use(CODES.calls, 2 + Math.floor(chance() * (lastDay - 2)), { route: chance() < 0.7 ? "/v1/chat" : "/v1/embed" });
  use(CODES.storage, 2, { gigabytes: Math.round(40 * size * growth) });
  const seats = number === 0 ? Math.ceil(size * 6) : number === 2 && size > 0.5 ? 3 : 0;
  for (let seat = 0; seat < seats; seat++)
    use(CODES.seats, 2, { user_id: `${customer.id}-${number}-${seat}`, operation_type: "add" });
  return events;
}
