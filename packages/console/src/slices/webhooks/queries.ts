/** What the pages of webhooks read. All of it is below ["webhooks", organization], so that a change refreshes it at once. */
import type { Webhook } from "@tallystick/client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { apiOf } from "../../api/client.ts";
import { now } from "../../api/clock.ts";
import { SINCE, type WebhookSearch } from "./search.ts";

/** While something is on its way. */
const LOOK_EVERY_MS = 2000;

const isOpen = ({ settled_at }: Pick<Webhook, "settled_at">): boolean => settled_at === null;

export const endpointsQuery = (organization: string) =>
  queryOptions({
    queryKey: ["webhooks", organization, "endpoints"],
    queryFn: async () => (await apiOf(organization).webhookEndpoints.list({ per_page: 100 })).items,
  });

/** How the last day went for an endpoint. */
export const healthQuery = (organization: string, endpoint: string) =>
  queryOptions({
    queryKey: ["webhooks", organization, "health", endpoint],
    refetchInterval: 15_000,
    queryFn: async () => {
      const day = { webhook_endpoint_id: endpoint, created_at_from: before(SINCE["24h"]), per_page: 1 };
      const { webhooks } = apiOf(organization);
      const [delivered, not] = await Promise.all([
        webhooks.list({ ...day, status: "succeeded" }),
        webhooks.list({ ...day, status: ["failed", "retrying"] }),
      ]);
      return {
        delivered: delivered.meta.total_count ?? 0,
        notDelivered: not.meta.total_count ?? 0,
        last: not.items[0],
      };
    },
  });

const before = (hours: number): string => now().subtract({ hours }).toString({ fractionalSecondDigits: 0 });

/** As the API takes it. Without a beginning, all that is kept. */
export const filterOf = ({ status, type, endpoint, since }: WebhookSearch) => ({
  ...(status ? { status } : {}),
  ...(type ? { webhook_type: type } : {}),
  ...(endpoint ? { webhook_endpoint_id: endpoint } : {}),
  ...(since ? { created_at_from: before(SINCE[since]) } : {}),
});

export const webhooksQuery = (organization: string, search: WebhookSearch) =>
  queryOptions({
    queryKey: ["webhooks", organization, "log", search],
    queryFn: async () =>
      await apiOf(organization).webhooks.list({ ...filterOf(search), page: search.page ?? 1, per_page: 25 }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.items.some(isOpen) ? LOOK_EVERY_MS : 5 * LOOK_EVERY_MS),
  });

export const webhookQuery = (organization: string, id: string) =>
  queryOptions({
    queryKey: ["webhooks", organization, "one", id],
    queryFn: () => apiOf(organization).webhooks.get(id),
    refetchInterval: ({ state }) => (state.data && isOpen(state.data) ? LOOK_EVERY_MS : false),
  });
