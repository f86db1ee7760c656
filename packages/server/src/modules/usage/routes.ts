/** What usage costs: of the current period, and of an event before it is sent. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { Problem } from "../../http/problem.ts";
import type { Clock } from "../../platform/clock.ts";
import { readSentProperties } from "../events/index.ts";
import { computeCurrentUsage } from "./current-usage.ts";
import { estimateFees, loadEstimate } from "./estimate-fees.ts";
import type { EventStore } from "./event-store.ts";
import { toApiEstimatedFee } from "./fee-to-api.ts";
import { loadOfCustomer } from "./load-subscribed.ts";
import { estimateFeesSchema, showCurrentUsage } from "./schema.ts";
import { toApiCustomerUsage } from "./to-api.ts";

/** Events are read after the transaction that loads the rest: nobody holds a connection while waiting for another. */
export const usageRoutes =
  ({ clock, events }: { clock: Clock; events: EventStore }): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      "/customers/:external_id/current_usage",
      { schema: showCurrentUsage, config: { permission: "customer_usage", rateBucket: "usage" } },
      async (request) => {
        const { external_subscription_id, apply_taxes } = request.query;
        const wanted = {
          externalCustomerId: request.params.external_id,
          externalSubscriptionId: external_subscription_id,
        };
        const subscribed = await request.read((tx, organizationId) =>
          loadOfCustomer(tx, organizationId, wanted, clock),
        );
        const usage = await computeCurrentUsage(events, subscribed, {
          isTaxed: !["false", "0"].includes(String(apply_taxes)),
        });
        return { customer_usage: toApiCustomerUsage(subscribed, usage) };
      },
    );

    app.post(
      "/events/estimate_fees",
      { schema: estimateFeesSchema, config: { permission: "event", rateBucket: "usage", keepsBodyText: true } },
      async (request) => {
        const { external_subscription_id, code } = request.body.event;
        const sent = {
          externalSubscriptionId: external_subscription_id,
          code,
          properties: readSentProperties(request),
        };
        const estimate = async () => {
          const loaded = await request.read((tx, organizationId) => loadEstimate(tx, organizationId, sent, clock));
          const fees = await estimateFees(events, loaded);
          return { fees: fees.map((fee) => toApiEstimatedFee(loaded.subscribed, fee)) };
        };
        const answer = await estimate().catch(asProblem);
        // Nothing is written but the answer itself, for a repeat with the same Idempotency-Key.
        return request.write(async () => {
          if (answer instanceof Problem) throw answer;
          return answer;
        });
      },
    );
  };

function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  throw error;
}
