/** /billing_run: whether invoices are made on their own, pause and resume. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyRequest } from "fastify";
import type { Clock } from "../../../platform/clock.ts";
import { alone } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { findOrganization } from "../../accounts/index.ts";
import { countWaiting, followPause, markPaused, type PauseDeps } from "../invoices/index.ts";
import { pauseBillingRunSchema, resumeBillingRunSchema, showBillingRunSchema, toApiBillingRun } from "./schema.ts";

export const billingRunRoutes =
  (deps: PauseDeps & { clock: Clock }): FastifyPluginAsyncTypebox =>
  async (app) => {
    const config = { permission: "billing_run" };

    const describe = async (tx: Tx, organizationId: string) => {
      const { billing_paused_at: pausedAt } = await findOrganization(alone(tx), organizationId);
      return { billing_run: toApiBillingRun(pausedAt, await countWaiting(tx, organizationId)) };
    };

    app.get("/billing_run", { schema: showBillingRunSchema, config }, (request) => request.read(describe));

    const set = (request: FastifyRequest, pausedAt: Temporal.Instant | null) =>
      request.write(
        async (tx, organizationId) => {
          await markPaused(tx, organizationId, pausedAt);
          return describe(tx, organizationId);
        },
        async () => {
          await followPause(deps, request.caller.organizationId);
          return request.read(describe);
        },
      );

    app.post("/billing_run/pause", { schema: pauseBillingRunSchema, config }, (request) =>
      set(request, deps.clock.now()),
    );

    app.post("/billing_run/resume", { schema: resumeBillingRunSchema, config }, (request) => set(request, null));
  };
