/** /fees, by id. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { parseInstant } from "@tallystick/core/time";
import { readPage, toApiMeta } from "../../../http/pagination.ts";
import { alone } from "../../../platform/postgres/batch.ts";
import { type FeeDeps, payFee, removeFee } from "./change-fee.ts";
import { describeFee, describeFees } from "./describe-fees.ts";
import { feeErrors } from "./errors.ts";
import { changeFee, deleteFee, listFees, showFee } from "./schema.ts";
import { type FeeFilter, type FeeRow, findFee, pageOfFees } from "./store.ts";

type Query = Partial<
  Record<
    | "external_customer_id"
    | "external_subscription_id"
    | "billable_metric_code"
    | "currency"
    | "event_transaction_id"
    | `${"created" | "succeeded" | "failed" | "refunded"}_at_${"from" | "to"}`,
    string
  >
> &
  Partial<Pick<FeeRow, "fee_type" | "payment_status">>;

export const feeRoutes =
  (deps: FeeDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    const config = { permission: "fee" };

    app.get("/fees", { schema: listFees, config }, (request) =>
      request.read(async (tx, organizationId) => {
        const page = readPage(request.query);
        const { rows, total } = await pageOfFees(tx, organizationId, toFilter(request.query), page);
        const fees = await describeFees(alone(tx), organizationId, rows, { withTaxes: true });
        return { fees, meta: toApiMeta(page, total) };
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

function toFilter(query: Query): FeeFilter {
  const instantOf = (name: keyof Query) => parseInstant(query[name] ?? "");
  return {
    feeType: query.fee_type,
    paymentStatus: query.payment_status,
    externalCustomerId: query.external_customer_id,
    externalSubscriptionId: query.external_subscription_id,
    billableMetricCode: query.billable_metric_code,
    currency: query.currency,
    eventTransactionId: query.event_transaction_id,
    between: (["created_at", "succeeded_at", "failed_at", "refunded_at"] as const).map((column) => ({
      column,
      from: instantOf(`${column}_from`),
      to: instantOf(`${column}_to`),
    })),
  };
}
