/** What the pages of the time machine read. */
import { queryOptions } from "@tanstack/react-query";
import { apiOf } from "../../api/client.ts";

/** While a clock advances. */
const LOOK_EVERY_MS = 1000;
/** One answer has at most that many. */
const MOST = 1000;

export const clocksQuery = (organization: string) =>
  queryOptions({
    queryKey: ["test-clocks", organization, "all"],
    queryFn: async () => await apiOf(organization).testClocks.list({ per_page: 100 }),
    refetchInterval: ({ state }) =>
      state.data?.items.some(({ status }) => status === "advancing") ? LOOK_EVERY_MS : false,
  });

export const clockQuery = (organization: string, id: string, isAsked: boolean) =>
  queryOptions({
    queryKey: ["test-clocks", organization, id],
    queryFn: () => apiOf(organization).testClocks.get(id),
    // The request for an advance is answered late: it waits for the work.
    refetchInterval: ({ state }) => (isAsked || state.data?.status === "advancing" ? LOOK_EVERY_MS : false),
  });

/** The customers that use a clock: of the newest ones, which a sandbox rarely has more of. */
export const clockCustomersQuery = (organization: string) =>
  queryOptions({
    queryKey: ["customers", organization, "on clocks"],
    queryFn: async () => {
      const { items } = await apiOf(organization).customers.list({ per_page: MOST });
      return items.filter(({ test_clock_id }) => test_clock_id !== null);
    },
  });

/** The invoices that were created after an instant of the clock, the last first. */
export const madeSinceQuery = (organization: string, clock: string, since: string) =>
  queryOptions({
    queryKey: ["invoices", organization, "of clock", clock, since],
    queryFn: async () => {
      const query = { created_from: since, sort: "-created_at", per_page: MOST } as const;
      const { items } = await apiOf(organization).invoices.list(query);
      const start = Temporal.Instant.from(since);
      return items.filter(
        ({ customer, created_at }) =>
          // What is due at an instant was done when the clock came there.
          customer.test_clock_id === clock && Temporal.Instant.compare(Temporal.Instant.from(created_at), start) > 0,
      );
    },
  });

/** Days end and begin in the zone of the organization. */
export const zoneQuery = (organization: string) =>
  queryOptions({
    queryKey: ["organization", organization, "zone"],
    queryFn: async () => (await apiOf(organization).organization.get()).timezone,
  });
