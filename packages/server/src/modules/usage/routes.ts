/** /customers/{external_id}/current_usage. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { Clock } from "../../platform/clock.ts";
import { computeCurrentUsage } from "./current-usage.ts";
import type { EventStore } from "./event-store.ts";
import { loadOfCustomer } from "./load-subscribed.ts";
import { showCurrentUsage } from "./schema.ts";
import { toApiCustomerUsage } from "./to-api.ts";

/** Events are read after the transaction that loads the rest: no request holds one connection while it waits for another. */
export const usageRoutes =
  ({ clock, events }: { clock: Clock; events: EventStore }): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      "/customers/:external_id/current_usage",
      { schema: showCurrentUsage, config: { permission: "customer_usage", rateBucket: "usage" } },
      async (request) => {
        const { external_subscription_id, apply_taxes } = request.query;
        const requested = {
          externalCustomerId: request.params.external_id,
          externalSubscriptionId: external_subscription_id,
        };
        const subscribed = await request.read((tx, organizationId) =>
          loadOfCustomer(tx, organizationId, requested, clock),
        );
        const usage = await computeCurrentUsage(events, subscribed, {
          isTaxed: !["false", "0"].includes(String(apply_taxes)),
        });
        return { customer_usage: toApiCustomerUsage(subscribed, usage) };
      },
    );
  };
