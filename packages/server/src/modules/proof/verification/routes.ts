/** GET /invoices/{id}/verification */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { VerifyDeps } from "./rebuild.ts";
import { showVerification, toApiVerification } from "./schema.ts";
import { verifyInvoice } from "./verify-invoice.ts";

export const verificationRoutes =
  (deps: VerifyDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      "/invoices/:svc_id/verification",
      { schema: showVerification, config: { permission: "invoice", rateBucket: "usage", isHeavy: true } },
      async (request) => {
        // Verification reads in its own snapshots, so no request holds a connection while it waits for another.
        const { organizationId } = request.caller;
        const verification = await verifyInvoice(deps, organizationId, request.params.svc_id);
        return { verification: toApiVerification(verification, deps.engine) };
      },
    );
  };
