/** What the address of the events says. */
import type { Event } from "@tallystick/client";

export const STATUSES = ["open", "billed", "not_billed"] as const satisfies readonly Event["status"][];
export type EventSearch = {
  status?: (typeof STATUSES)[number] | undefined;
  code?: string | undefined;
  subscription?: string | undefined;
  /** The chosen event. */
  event?: string | undefined;
};

const text = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : typeof value === "number" ? String(value) : undefined;

export function parseEventSearch(search: Record<string, unknown>): EventSearch {
  const status = STATUSES.find((known) => known === search.status);
  const [code, subscription, event] = [text(search.code), text(search.subscription), text(search.event)];
  return {
    ...(status ? { status } : {}),
    ...(code ? { code } : {}),
    ...(subscription ? { subscription } : {}),
    ...(event ? { event } : {}),
  };
}
