/** An active subscription with everything that prices its usage. Read in one transaction, without locks. */
import assert from "node:assert/strict";
import type { CustomerTaxes, FeeItem, Tax } from "@tallystick/core/invoicing";
import { type ChargeParts, currentUsage } from "@tallystick/core/subscription";
import type { UsageWindow } from "@tallystick/core/usage";
import type { Clock } from "../../platform/clock.ts";
import { alone } from "../../platform/postgres/batch.ts";
import type { Tx } from "../../platform/postgres/database.ts";
import { loadPriceList, type MetricRow, type PriceList, type StoredCharge, type TaxRow } from "../catalogue/index.ts";
import {
  type CustomerRow,
  type CustomerTaxRows,
  customerErrors,
  findCustomer,
  findCustomerById,
  findCustomerTaxes,
  readCustomerClock,
} from "../customers/index.ts";
import {
  type ActiveSubscription,
  findActiveOfCustomer,
  findActiveSubscription,
  subscriptionErrors,
} from "../subscriptions/index.ts";
import { usageErrors } from "./errors.ts";
import type { EventStore, UsageScope } from "./event-store.ts";

export type Subscribed = {
  organizationId: string;
  customer: CustomerRow;
  subscription: ActiveSubscription;
  /** On the customer's clock. */
  now: Temporal.Instant;
  window: UsageWindow;
  /** What a plan change leaves of the charges in arrears in this window. */
  parts: ChargeParts;
  /** The local date on which the invoice of the window will be issued. */
  issuingOn: Temporal.PlainDate;
  priceList: PriceList;
  taxes: CustomerTaxRows;
};

type Requested = { externalCustomerId: string; externalSubscriptionId: string };

export async function loadOfCustomer(
  tx: Tx,
  organizationId: string,
  { externalCustomerId, externalSubscriptionId }: Requested,
  clock: Clock,
): Promise<Subscribed> {
  const customer = await findCustomer(tx, organizationId, externalCustomerId);
  if (!customer) throw customerErrors.problem("customer_not_found", [externalCustomerId]);
  const subscription = await findActiveSubscription(tx, organizationId, externalSubscriptionId);
  if (subscription?.customerId !== customer.id) throw usageErrors.problem("no_active_subscription");
  return complete(tx, { organizationId, customer, subscription }, clock);
}

/** For any customer. */
export async function loadByExternalId(
  tx: Tx,
  organizationId: string,
  externalSubscriptionId: string,
  clock: Clock,
): Promise<Subscribed> {
  const subscription = await findActiveSubscription(tx, organizationId, externalSubscriptionId);
  if (!subscription) throw subscriptionErrors.problem("subscription_not_found", [externalSubscriptionId]);
  const customer = await findCustomerById(tx, organizationId, subscription.customerId);
  assert(customer, "the subscriptions of a deleted customer have ended");
  return complete(tx, { organizationId, customer, subscription }, clock);
}

/** All active subscriptions of a customer. */
export async function loadAllOfCustomer(
  tx: Tx,
  organizationId: string,
  customerId: string,
  clock: Clock,
): Promise<Subscribed[]> {
  const customer = await findCustomerById(tx, organizationId, customerId);
  if (!customer) return [];
  const all: Subscribed[] = [];
  for (const subscription of await findActiveOfCustomer(tx, organizationId, customerId))
    all.push(await complete(tx, { organizationId, customer, subscription }, clock));
  return all;
}

async function complete(
  tx: Tx,
  found: Pick<Subscribed, "organizationId" | "customer" | "subscription">,
  clock: Clock,
): Promise<Subscribed> {
  const { organizationId, customer, subscription } = found;
  const now = await readCustomerClock(tx, organizationId, customer.test_clock_id, clock);
  return {
    ...found,
    now,
    ...currentUsage(subscription.active, now),
    priceList: await loadPriceList(alone(tx), organizationId, subscription.planId),
    taxes: await findCustomerTaxes(alone(tx), organizationId, customer.id),
  };
}

/** For a single read, which sees everything accepted by then. */
export const scopeOf = ({ subscription, window }: Subscribed): UsageScope => ({
  externalSubscriptionId: subscription.externalId,
  window,
  historyFrom: subscription.active.firstStartedAt,
  cut: null,
});

/** For several reads that all see the same snapshot. */
export const takeScope = async (events: EventStore, subscribed: Subscribed): Promise<UsageScope> => ({
  ...scopeOf(subscribed),
  cut: await events.takeCut(subscribed.organizationId),
});

export function metricOf({ priceList }: Subscribed, { metricId }: StoredCharge): MetricRow {
  const metric = priceList.metricsById.get(metricId);
  assert(metric, "a charge has a metric");
  return metric;
}

/** What a fee of the charge is for, with the taxes of its levels. */
export const toFeeItem = ({ priceList }: Pick<Subscribed, "priceList">, charge: StoredCharge): FeeItem => ({
  kind: "charge",
  planCode: priceList.plan.code,
  metricCode: charge.metric.code,
  chargeTaxes: (priceList.chargeTaxes.get(charge.id) ?? []).map(toTax),
  planTaxes: priceList.planTaxes.map(toTax),
});

export const toCustomerTaxes = ({ taxes: { customer, organization } }: Pick<Subscribed, "taxes">): CustomerTaxes => ({
  customer: customer.map(toTax),
  organization: organization.map(toTax),
});

const toTax = ({ code, name, rate }: TaxRow): Tax => ({ code, name, rate });
