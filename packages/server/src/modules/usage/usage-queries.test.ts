import { afterAll, expect, test } from "vitest";
import { composeCountedApi } from "../../testing/count-queries.ts";
import { startTallystick } from "../../testing/start-tallystick.ts";
import { type ChargeRequest, type MetricRequest, subscribeCustomer } from "../../testing/subscribed-customer.ts";

const { platform, call, organizations } = await startTallystick({ organizations: 1 });
const [mine = { key: "" }] = organizations;
const counted = await composeCountedApi(platform);
afterAll(() => counted.app.close());

const seats = { aggregation_type: "unique_count_agg", field_name: "user" };
const sum = { aggregation_type: "sum_agg", field_name: "v" };
/** One charge of each kind that is read in its own way. */
const KINDS: Readonly<Record<string, { metric: MetricRequest; charge: Omit<ChargeRequest, "metric"> }>> = {
  count: { metric: { aggregation_type: "count_agg" }, charge: { properties: { amount: "1" } } },
  latest: { metric: { aggregation_type: "latest_agg", field_name: "v" }, charge: { properties: { amount: "1" } } },
  removed: { metric: seats, charge: { properties: { amount: "1" } } },
  percentage: { metric: sum, charge: { charge_model: "percentage", properties: { rate: "1" } } },
  prorated: { metric: { ...sum, recurring: true }, charge: { prorated: true, properties: { amount: "1" } } },
  grouped: { metric: sum, charge: { properties: { amount: "1", grouped_by: ["user"] } } },
  advance: { metric: sum, charge: { pay_in_advance: true, properties: { amount: "1" } } },
  advanceSeats: { metric: seats, charge: { pay_in_advance: true, properties: { amount: "1" } } },
};

/** Counts the queries of current usage, for a number of charges of every kind and of events for each. */
async function countQueries(charges: number, events: number): Promise<{ queries: number; shown: number }> {
  const numbers = Array.from({ length: charges }, (_, index) => index);
  const named = Object.entries(KINDS).flatMap(([kind, of]) =>
    numbers.map((number) => ({ name: `${kind} ${number}`, ...of })),
  );
  const acme = await subscribeCustomer(call, {
    now: "2024-03-01T00:00:00Z",
    metrics: Object.fromEntries(named.map(({ name, metric }) => [name, metric])),
    charges: named.flatMap(({ name, charge }) => [
      { metric: name, ...charge },
      { metric: name, ...charge },
    ]),
  });
  const sent = Array.from({ length: events }, (_, index) => ({
    v: index + 1,
    user: `user ${index}`,
    operation_type: index % 3 === 2 ? "remove" : "add",
  }));
  for (const { name } of named) await acme.send(name, ...sent, { v: 1, user: "user 0", operation_type: "remove" });
  const query = `external_subscription_id=${encodeURIComponent(acme.subscription)}`;
  const path = `/customers/${encodeURIComponent(acme.customer)}/current_usage?${query}`;
  const { body, queries } = await counted.get(path, mine.key);
  const { charges_usage } = body.customer_usage as { charges_usage: object[] };
  return { queries, shown: charges_usage.length };
}

test("current usage takes the same number of queries for few charges and events as for many", async () => {
  const few = await countQueries(1, 2);
  const many = await countQueries(4, 90);
  expect(few.shown).toBe(2 * Object.keys(KINDS).length);
  expect(many.shown).toBe(8 * Object.keys(KINDS).length);
  expect(many.queries).toBe(few.queries);
  expect(few.queries).toBeLessThanOrEqual(26);
});
