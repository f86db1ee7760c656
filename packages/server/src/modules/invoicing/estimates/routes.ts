/** What an event would cost, before it is sent. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { Problem } from "../../../http/problem.ts";
import type { Clock } from "../../../platform/clock.ts";
import { readSentProperties } from "../../events/index.ts";
import type { EventStore } from "../../usage/index.ts";
import { estimateFees, loadEstimate } from "./estimate-fees.ts";
import { toApiEstimatedFee } from "./fee-to-api.ts";
import { estimateFeesSchema } from "./schema.ts";

/** Events are read after the first transaction ends. So no request holds a connection while it waits for another. */
export const estimateRoutes =
  ({ clock, events }: { clock: Clock; events: EventStore }): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.post(
      "/events/estimate_fees",
      {
        schema: estimateFeesSchema,
        config: { permission: "event", activity: "none", rateBucket: "usage", keepsBodyText: true },
      },
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
        // Writes only the answer itself, for a repeat with the same Idempotency-Key.
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
