/** What the address of the list of subscriptions says. */
export const STATUSES = ["active", "pending", "terminated", "canceled"] as const;
export type SubscriptionSearch = {
  status?: (typeof STATUSES)[number] | undefined;
  q?: string | undefined;
  page?: number | undefined;
};

export function parseSubscriptionSearch({ status, q, page: given }: Record<string, unknown>): SubscriptionSearch {
  const known = STATUSES.find((one) => one === status && one !== "active");
  const page = Number(given);
  return {
    ...(known ? { status: known } : {}),
    ...((typeof q === "string" && q) || typeof q === "number" ? { q: String(q) } : {}),
    ...(Number.isInteger(page) && page > 1 ? { page } : {}),
  };
}
