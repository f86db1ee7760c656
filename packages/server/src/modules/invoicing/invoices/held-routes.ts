/** /held_invoices: invoices of which two computations differ, and their release by an operator. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import {
  findDerivations,
  heldInvoiceList,
  listHeldInvoicesSchema,
  pageOfHeld,
  readReason,
  releaseHeldInvoiceSchema,
  showHeldInvoiceSchema,
  toApiHeldInvoice,
} from "../held-invoices/index.ts";
import { withMeasured } from "./change-draft.ts";
import { demandHeld, releasePrepared } from "./release-invoice.ts";
import type { InvoiceWorkDeps } from "./save-invoice.ts";

export const heldInvoiceRoutes =
  (deps: InvoiceWorkDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    const config = { permission: "held_invoice" };

    app.get("/held_invoices", { schema: listHeldInvoicesSchema, config }, (request) =>
      request.read(async (tx, organizationId) => {
        const { rows, meta } = await pageOfHeld(tx, organizationId, heldInvoiceList.read(request.query));
        return { held_invoices: rows.map(toApiHeldInvoice), meta };
      }),
    );

    app.get("/held_invoices/:svc_id", { schema: showHeldInvoiceSchema, config }, (request) =>
      request.read(async (tx, organizationId) => {
        const row = await demandHeld(tx, organizationId, request.params.svc_id);
        const { first = {}, second = {} } = (await findDerivations(tx, organizationId, row.id)) ?? {};
        return { held_invoice: { ...toApiHeldInvoice(row), first: { ...first }, second: { ...second } } };
      }),
    );

    /** Reads usage first, outside of the transaction that writes. */
    app.post("/held_invoices/:svc_id/release", { schema: releaseHeldInvoiceSchema, config }, async (request) => {
      const reason = readReason(request.body);
      const { organizationId } = request.caller;
      const { id } = await request.read((tx) => demandHeld(tx, organizationId, request.params.svc_id));
      return withMeasured(deps, { organizationId, id, step: "refresh" }, (prepared) =>
        request.write(async (tx) => {
          await releasePrepared(tx, deps, { organizationId, id, reason }, prepared);
          return { held_invoice: toApiHeldInvoice(await demandHeld(tx, organizationId, id)) };
        }),
      );
    });
  };
