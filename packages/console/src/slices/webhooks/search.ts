/** What the address of the log of webhooks says. */
import type { WebhookType } from "@tallystick/client";

export const STATUSES = ["pending", "retrying", "failed", "succeeded"] as const;
/** In hours. */
export const SINCE = { "1h": 1, "24h": 24, "7d": 168 } as const;

export type WebhookSearch = {
  status?: (typeof STATUSES)[number] | undefined;
  type?: WebhookType | undefined;
  endpoint?: string | undefined;
  since?: keyof typeof SINCE | undefined;
  page?: number | undefined;
};

const isSince = (text: unknown): text is keyof typeof SINCE => typeof text === "string" && Object.hasOwn(SINCE, text);

export function parseWebhookSearch({
  status,
  type,
  endpoint,
  since,
  page: given,
}: Record<string, unknown>): WebhookSearch {
  const known = STATUSES.find((one) => one === status);
  const page = Number(given);
  return {
    ...(known ? { status: known } : {}),
    // The service refuses what it does not know, and the page shows the refusal.
    ...(typeof type === "string" && type ? { type: type as WebhookType } : {}),
    ...(typeof endpoint === "string" && endpoint ? { endpoint } : {}),
    ...(isSince(since) ? { since } : {}),
    ...(Number.isInteger(page) && page > 1 ? { page } : {}),
  };
}
