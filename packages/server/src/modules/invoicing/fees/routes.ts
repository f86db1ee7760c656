/** /fees, by id. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { alone } from "../../../platform/postgres/batch.ts";
import { type FeeDeps, payFee, removeFee } from "./change-fee.ts";
import { describeFee, describeFees } from "./describe-fees.ts";
import { feeErrors } from "./errors.ts";
import { changeFee, deleteFee, feeList, listFees, showFee } from "./schema.ts";
import { findFee, pageOfFees } from "./store.ts";

export const feeRoutes =
  (deps: FeeDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    const config = { permission: "fee" };

    app.get("/fees", { schema: listFees, config }, (request) =>
      request.read(async (tx, organizationId) => {
        const { rows, meta } = await pageOfFees(tx, organizationId, feeList.read(request.query));
        const fees = await describeFees(alone(tx), organizationId, rows, { withTaxes: true });
        return { fees, meta };
      }),
    );

    app.get("/fees/:svc_id", { schema: showFee, config }, (request) =>
      request.read(async (tx, organizationId) => {
        const row = await findFee(tx, organizationId, request.params.svc_id);
        if (!row) throw feeErrors.problem("fee_not_found");
        return { fee: await describeFee(tx, organizationId, row) };
      }),
    );

    app.put("/fees/:svc_id", { schema: changeFee, config }, (request) =>
      request.write(async (tx, organizationId) => {
        const { svc_id: id } = request.params;
        const row = await payFee(tx, organizationId, { id, status: request.body.fee.payment_status }, deps);
        return { fee: await describeFee(tx, organizationId, row) };
      }),
    );

    app.delete("/fees/:svc_id", { schema: deleteFee, config }, (request) =>
      request.write(async (tx, organizationId) => ({
        fee: await removeFee(tx, organizationId, request.params.svc_id, deps.clock),
      })),
    );
  };
