/** What the page of events reads. */
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { apiOf } from "../../api/client.ts";
import type { EventSearch } from "./search.ts";

const PAGE = 50;

export const eventsQuery = (organization: string, { status, code, subscription }: EventSearch) => {
  const query = {
    limit: PAGE,
    ...(status ? { status } : {}),
    ...(code ? { code } : {}),
    ...(subscription ? { external_subscription_id: subscription } : {}),
  };
  return infiniteQueryOptions({
    queryKey: ["events", organization, query],
    queryFn: async ({ pageParam }) =>
      await apiOf(organization).events.list({ ...query, ...(pageParam ? { cursor: pageParam } : {}) }),
    initialPageParam: "",
    getNextPageParam: ({ meta }) => meta.next_cursor,
  });
};

export const metricsQuery = (organization: string) =>
  queryOptions({
    queryKey: ["billable-metrics", organization],
    queryFn: async () => (await apiOf(organization).billableMetrics.list({ per_page: 1000 })).items,
  });

/** The invoice that an event was billed on; null while its fee stands alone. */
export const feeQuery = (organization: string, id: string) =>
  queryOptions({
    queryKey: ["fees", organization, id],
    queryFn: () => apiOf(organization).fees.get(id),
  });
