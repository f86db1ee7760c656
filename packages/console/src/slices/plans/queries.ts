/** What the pages of plans read. */
import { keepPreviousData, type QueryClient, queryOptions } from "@tanstack/react-query";
import { apiOf } from "../../api/client.ts";
import type { PlanSearch } from "./search.ts";

export const plansQuery = (organization: string, { q, page = 1 }: PlanSearch) => {
  const query = { page, per_page: 25, sort: "name" as const, ...(q ? { search_term: q } : {}) };
  return queryOptions({
    queryKey: ["plans", organization, "list", query],
    queryFn: async () => await apiOf(organization).plans.list(query),
    placeholderData: keepPreviousData,
  });
};

export const planQuery = (organization: string, code: string) =>
  queryOptions({
    queryKey: ["plans", organization, "one", code],
    queryFn: () => apiOf(organization).plans.get(code),
    // A copy of a record has no ETag.
    structuralSharing: false,
  });

export const metricsQuery = (organization: string) =>
  queryOptions({
    queryKey: ["metrics", organization, "all"],
    queryFn: async () => (await apiOf(organization).billableMetrics.list({ per_page: 1000, sort: "name" })).items,
  });

export const taxesQuery = (organization: string) =>
  queryOptions({
    queryKey: ["taxes", organization, "all"],
    queryFn: async () => (await apiOf(organization).taxes.list({ per_page: 1000, sort: "name" })).items,
  });

/** Also ended ones: whoever has had the plan keeps what its bills depend on from changing. */
export const subscriptionsOfPlanQuery = (organization: string, code: string) =>
  queryOptions({
    queryKey: ["subscriptions", organization, "of-plan", code],
    queryFn: async () =>
      await apiOf(organization).subscriptions.list({
        plan_code: code,
        status: ["active", "pending", "terminated", "canceled"],
        per_page: 50,
      }),
  });

export const changesOfPlanQuery = (organization: string, planId: string) =>
  queryOptions({
    queryKey: ["plans", organization, "changes", planId],
    queryFn: async () =>
      (await apiOf(organization).activities.list({ object_type: "plan", object_id: planId, per_page: 10 })).items,
  });

/** All that the page of a plan shows at once. `isFresh`: as it is now, so that an edit begins with what is stored. */
export const loadPlan = (
  client: QueryClient,
  { organization, plan: code }: { organization: string; plan: string },
  { isFresh }: { isFresh: boolean },
) => {
  const plan = planQuery(organization, code);
  return Promise.all([
    isFresh ? client.fetchQuery({ ...plan, staleTime: 0 }) : client.ensureQueryData(plan),
    client.ensureQueryData(metricsQuery(organization)),
    client.ensureQueryData(subscriptionsOfPlanQuery(organization, code)),
  ]);
};
