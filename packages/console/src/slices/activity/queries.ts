/** What the page of activity reads. */
import { infiniteQueryOptions } from "@tanstack/react-query";
import { apiOf } from "../../api/client.ts";
import type { ActivitySearch } from "./search.ts";

const PAGE = 50;

export const activitiesQuery = (organization: string, { by, object }: ActivitySearch) => {
  const query = { limit: PAGE, ...(by ? { actor_kind: by } : {}), ...(object ? { object_id: object } : {}) };
  return infiniteQueryOptions({
    queryKey: ["activities", organization, query],
    queryFn: async ({ pageParam }) =>
      await apiOf(organization).activities.list({ ...query, ...(pageParam ? { cursor: pageParam } : {}) }),
    initialPageParam: "",
    getNextPageParam: ({ meta }) => meta.next_cursor,
  });
};
