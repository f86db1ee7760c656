/** Subscriptions in their API form, in a constant number of queries. */
import assert from "node:assert/strict";
import type { Tx } from "../../platform/postgres/database.ts";
import { describeNestedPlan, findPlansById } from "../catalogue/index.ts";
import { describeNamedCustomers } from "../customers/index.ts";
import { findNeighborsOf, findRows, findSubscription } from "./find-subscription.ts";
import type { SubscriptionRow } from "./row.ts";
import { type ApiSubscription, type ApiSubscriptionWithPlan, toApiSubscription } from "./to-api.ts";

export async function describeSubscriptions(
  tx: Tx,
  organizationId: string,
  rows: readonly SubscriptionRow[],
): Promise<ApiSubscription[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const neighbors = new Map((await findNeighborsOf(tx, organizationId, ids)).map((found) => [found.id, found]));
  return rows.map((row) => {
    const found = neighbors.get(row.id);
    assert(found, "a subscription has a customer and a plan");
    return toApiSubscription(row, found);
  });
}

/** For records that name subscriptions. */
export async function describeSubscriptionsById(
  tx: Tx,
  organizationId: string,
  ids: readonly string[],
): Promise<ApiSubscription[]> {
  return describeSubscriptions(tx, organizationId, await findRows(tx, organizationId, ids));
}

export async function describeSubscription(
  tx: Tx,
  organizationId: string,
  id: string,
): Promise<ApiSubscriptionWithPlan> {
  const stored = await findSubscription(tx, organizationId, id);
  assert(stored, "who asks has it");
  const [subscription] = await describeSubscriptions(tx, organizationId, [stored.row]);
  const [plan] = await findPlansById(tx, organizationId, [stored.row.plan_id]);
  assert(subscription && plan, "a subscription has a plan");
  return { ...subscription, plan: await describeNestedPlan(tx, organizationId, plan) };
}

/** With its plan and its customer, who is shown without taxes as in every message. */
export async function describeForMessage(
  tx: Tx,
  organizationId: string,
  { id, customerId }: { id: string; customerId: string },
) {
  const customer = (await describeNamedCustomers(tx, organizationId, [customerId])).get(customerId);
  assert(customer, "a subscription ends before its customer does");
  return { ...(await describeSubscription(tx, organizationId, id)), customer };
}
