/** The timestamp of an event that was sent without one. */
import type { FastifyRequest } from "fastify";
import { alone } from "../../../platform/postgres/batch.ts";
import { findOrganization } from "../../accounts/index.ts";
import { readSubscriptionClocks } from "../../customers/index.ts";
import { microsecondsOf } from "./event-timestamp.ts";
import type { ReadEvent } from "./read-events.ts";

export type TellTime = (request: FastifyRequest, events: readonly ReadEvent[]) => Promise<readonly ReadEvent[]>;

const ORGANIZATIONS_KEPT_MAX = 10_000;

/** In a sandbox organization, the time of the customer's test clock. Otherwise, and on the real clock, the time of receipt. */
export function createTellTime(): TellTime {
  // Whether an organization is a sandbox never changes.
  const sandboxes = new Map<string, boolean>();

  return async (request, events) => {
    const { organizationId } = request.caller;
    if (sandboxes.get(organizationId) === false) return events;
    const externalIds = [...new Set(events.map(({ externalSubscriptionId }) => externalSubscriptionId))];
    const clocks = await request.read(async (tx) => {
      const { is_sandbox } = await findOrganization(alone(tx), organizationId);
      if (sandboxes.size >= ORGANIZATIONS_KEPT_MAX) sandboxes.clear();
      sandboxes.set(organizationId, is_sandbox);
      return is_sandbox ? readSubscriptionClocks(tx, organizationId, externalIds) : new Map<string, never>();
    });
    if (clocks.size === 0) return events;
    return events.map((event) => {
      const now = clocks.get(event.externalSubscriptionId);
      return event.isTimed || !now ? event : { ...event, timestamp: microsecondsOf(now) };
    });
  };
}
