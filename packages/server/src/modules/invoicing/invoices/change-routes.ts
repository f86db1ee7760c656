/** Routes that change an invoice: /invoices/{id} and the actions below it. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyRequest } from "fastify";
import { alone } from "../../../platform/postgres/batch.ts";
import { demandInvoice, finalizeInvoice, refreshInvoice, withMeasured } from "./change-draft.ts";
import { changeInvoice, loseDispute, retryInvoice, voidInvoice } from "./change-invoice.ts";
import { describeInvoice } from "./describe-invoices.ts";
import type { InvoiceWorkDeps } from "./save-invoice.ts";
import {
  changeInvoiceSchema,
  finalizeInvoiceSchema,
  loseDisputeSchema,
  refreshInvoiceSchema,
  retryInvoiceSchema,
  voidInvoiceSchema,
} from "./schema.ts";

const CHANGES = { refresh: refreshInvoice, finalize: finalizeInvoice } as const;

export const invoiceChangeRoutes =
  (deps: InvoiceWorkDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    const config = { permission: "invoice" };

    app.put("/invoices/:svc_id", { schema: changeInvoiceSchema, config }, (request) =>
      request.write(async (tx, organizationId) => {
        const { payment_status: paymentStatus, metadata } = request.body.invoice;
        const addressed = { organizationId, id: request.params.svc_id };
        const row = await changeInvoice(tx, deps, addressed, { paymentStatus, metadata });
        return { invoice: await describeInvoice(alone(tx), organizationId, row) };
      }),
    );

    /** Reads usage first, outside of the transaction that writes. */
    const remake = (request: FastifyRequest, id: string, step: keyof typeof CHANGES) =>
      request
        .read((tx, organizationId) => demandInvoice(tx, organizationId, id))
        .then(() => {
          const { organizationId } = request.caller;
          return withMeasured(deps, { organizationId, id, step }, (prepared) =>
            request.write(async (tx) => {
              const row = await CHANGES[step](tx, deps, { organizationId, id }, prepared);
              return { invoice: await describeInvoice(alone(tx), organizationId, row) };
            }),
          );
        });

    app.put("/invoices/:svc_id/refresh", { schema: refreshInvoiceSchema, config }, (request) =>
      remake(request, request.params.svc_id, "refresh"),
    );

    app.put("/invoices/:svc_id/finalize", { schema: finalizeInvoiceSchema, config }, (request) =>
      remake(request, request.params.svc_id, "finalize"),
    );

    const act = (request: FastifyRequest, id: string, change: typeof voidInvoice) =>
      request.write(async (tx, organizationId) => {
        const row = await change(tx, deps, { organizationId, id });
        return { invoice: await describeInvoice(alone(tx), organizationId, row) };
      });

    app.post("/invoices/:svc_id/void", { schema: voidInvoiceSchema, config }, (request) =>
      act(request, request.params.svc_id, voidInvoice),
    );

    app.post("/invoices/:svc_id/lose_dispute", { schema: loseDisputeSchema, config }, (request) =>
      act(request, request.params.svc_id, loseDispute),
    );

    app.post("/invoices/:svc_id/retry", { schema: retryInvoiceSchema, config }, (request) =>
      act(request, request.params.svc_id, retryInvoice),
    );
  };
