/** What the pages of customers read. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { apiOf } from "../../api/client.ts";
import type { CustomerSearch } from "./search.ts";

export const customersQuery = (organization: string, { q, page = 1 }: CustomerSearch) => {
  const query = { page, per_page: 25, ...(q ? { search_term: q } : {}) };
  return queryOptions({
    queryKey: ["customers", organization, "list", query],
    queryFn: async () => await apiOf(organization).customers.list(query),
    placeholderData: keepPreviousData,
  });
};

export const customerQuery = (organization: string, externalId: string) =>
  queryOptions({
    queryKey: ["customers", organization, externalId],
    queryFn: () => apiOf(organization).customers.get(externalId),
  });

export const walletsQuery = (organization: string, externalId: string) =>
  queryOptions({
    queryKey: ["wallets", organization, externalId],
    queryFn: async () => (await apiOf(organization).wallets.list({ external_customer_id: externalId })).items,
  });
