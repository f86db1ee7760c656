/** What the page of API keys reads. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { apiOf } from "../../api/client.ts";
import type { KeySearch } from "./search.ts";

export const keysQuery = (organization: string, { q, page = 1 }: KeySearch) => {
  const query = { page, per_page: 25, ...(q ? { search_term: q } : {}) };
  return queryOptions({
    queryKey: ["api-keys", organization, query],
    queryFn: async () => await apiOf(organization).apiKeys.list(query),
    placeholderData: keepPreviousData,
  });
};
