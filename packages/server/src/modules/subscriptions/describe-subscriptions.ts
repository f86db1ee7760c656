/** Subscriptions in their API form, in a constant number of queries. */
import assert from "node:assert/strict";
import type { Batch } from "../../platform/postgres/batch.ts";
import { describeNestedPlan, findPlansById } from "../catalogue/index.ts";
import { describeNamedCustomers } from "../customers/index.ts";
import { findNeighborsOf, findRows, findSubscription } from "./find-subscription.ts";
import type { SubscriptionRow } from "./row.ts";
import { type ApiSubscription, type ApiSubscriptionWithPlan, toApiSubscription } from "./to-api.ts";

export async function describeSubscriptions(
  batch: Batch,
  organizationId: string,
  rows: readonly SubscriptionRow[],
): Promise<ApiSubscription[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const neighbors = new Map((await findNeighborsOf(batch, organizationId, ids)).map((found) => [found.id, found]));
  return rows.map((row) => {
    const found = neighbors.get(row.id);
    assert(found, "a subscription has a customer and a plan");
    return toApiSubscription(row, found);
  });
}

/** For records that refer to subscriptions by id. */
export async function describeSubscriptionsById(
  batch: Batch,
  organizationId: string,
  ids: readonly string[],
): Promise<ApiSubscription[]> {
  return describeSubscriptions(batch, organizationId, await findRows(batch, organizationId, ids));
}

export async function describeSubscription(
  batch: Batch,
  organizationId: string,
  id: string,
): Promise<ApiSubscriptionWithPlan> {
  const stored = await findSubscription(batch, organizationId, id);
  assert(stored, "the caller has the subscription");
  const [subscription] = await describeSubscriptions(batch, organizationId, [stored.row]);
  const [plan] = await findPlansById(batch.tx, organizationId, [stored.row.plan_id]);
  assert(subscription && plan, "a subscription has a plan");
  return { ...subscription, plan: await describeNestedPlan(batch.tx, organizationId, plan) };
}

/** With its plan and its customer, who is shown without taxes as in every message. */
export async function describeForMessage(
  batch: Batch,
  organizationId: string,
  { id, customerId }: { id: string; customerId: string },
) {
  const customer = (await describeNamedCustomers(batch, organizationId, [customerId])).get(customerId);
  assert(customer, "a subscription ends before its customer does");
  return { ...(await describeSubscription(batch, organizationId, id)), customer };
}
