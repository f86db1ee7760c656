/** What the pages of subscriptions read. */
import type { Subscription } from "@tallystick/client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { apiOf } from "../../api/client.ts";
import { STATUSES, type SubscriptionSearch } from "./search.ts";

export const subscriptionsQuery = (organization: string, { status = "active", q, page = 1 }: SubscriptionSearch) => {
  const query = { page, per_page: 25, status, sort: "-started_at" as const, ...(q ? { search_term: q } : {}) };
  return queryOptions({
    queryKey: ["subscriptions", organization, "list", query],
    queryFn: async () => await apiOf(organization).subscriptions.list(query),
    placeholderData: keepPreviousData,
  });
};

export const subscriptionsOfCustomerQuery = (organization: string, customer: string) =>
  queryOptions({
    queryKey: ["subscriptions", organization, "of", customer],
    queryFn: async () =>
      (await apiOf(organization).subscriptions.list({ external_customer_id: customer, status: STATUSES })).items,
  });

/** An external id can have an active, a pending and ended ones. The page shows the one that counts most. */
export const subscriptionQuery = (organization: string, externalId: string) =>
  queryOptions({
    queryKey: ["subscriptions", organization, externalId],
    queryFn: async () => {
      const { items } = await apiOf(organization).subscriptions.list({ external_id: externalId, status: STATUSES });
      const status = STATUSES.find((one) => items.some((item) => item.status === one)) ?? "active";
      return await apiOf(organization).subscriptions.get(externalId, { status });
    },
  });

export const usageQuery = (organization: string, { external_id, external_customer_id }: Subscription) =>
  queryOptions({
    queryKey: ["subscriptions", organization, external_id, "usage"],
    queryFn: () =>
      apiOf(organization).customers.getCurrentUsage(external_customer_id, { external_subscription_id: external_id }),
  });

export const nextInvoiceQuery = (organization: string, externalId: string) =>
  queryOptions({
    queryKey: ["subscriptions", organization, externalId, "next-invoice"],
    queryFn: () => apiOf(organization).invoices.preview({ external_subscription_id: externalId }),
  });

export const plansQuery = (organization: string) =>
  queryOptions({
    queryKey: ["plans", organization, "all"],
    queryFn: async () => (await apiOf(organization).plans.list({ per_page: 1000, sort: "name" })).items,
  });
