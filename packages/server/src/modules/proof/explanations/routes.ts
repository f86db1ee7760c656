/** /fees/{svc_id}/explanation with its events, and /invoices/{svc_id}/explanation. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { readPage } from "../../../http/pagination.ts";
import type { Clock } from "../../../platform/clock.ts";
import { findSecret } from "../../documents/index.ts";
import type { EventStore } from "../../usage/index.ts";
import { readCursor, writeCursor } from "./cursor.ts";
import { explainFee } from "./explain-fee.ts";
import { explainInvoice } from "./explain-invoice.ts";
import { loadFee } from "./load-fee.ts";
import { pageOfContributions } from "./page-of-events.ts";
import { listFeeEvents, showFeeExplanation, showInvoiceExplanation } from "./schema.ts";
import { toApiContributions, toApiFeeExplanation, toApiInvoiceExplanation, toApiRunning } from "./to-api.ts";

/** Events are read after the first transaction ends. So no request holds one connection while it waits for another. */
export const explanationRoutes =
  ({ events, clock }: { events: EventStore; clock: Clock }): FastifyPluginAsyncTypebox =>
  async (app) => {
    const ofFees = { permission: "fee", rateBucket: "usage", isHeavy: true } as const;

    app.get("/fees/:svc_id/explanation", { schema: showFeeExplanation, config: ofFees }, async (request) => {
      const { organizationId } = request.caller;
      const fee = await request.read((tx) => loadFee(tx, organizationId, request.params.svc_id));
      return { explanation: toApiFeeExplanation(await explainFee(events, organizationId, fee)) };
    });

    app.get("/fees/:svc_id/explanation/events", { schema: listFeeEvents, config: ofFees }, async (request) => {
      const { organizationId } = request.caller;
      const { fee, secret } = await request.read(async (tx) => ({
        fee: await loadFee(tx, organizationId, request.params.svc_id),
        secret: await findSecret(tx, organizationId, clock.now()),
      }));
      const key = { secret, feeId: fee.row.id };
      const { size } = readPage(request.query);
      const requested = { place: readCursor(key, request.query.cursor), size };
      const page = await pageOfContributions(events, organizationId, fee, requested);
      return {
        events: toApiContributions(page, fee.row.currency),
        meta: {
          next_cursor: page.next && writeCursor(key, page.next),
          running_exact_amount_cents: toApiRunning(page, fee.row.currency),
        },
      };
    });

    app.get(
      "/invoices/:svc_id/explanation",
      { schema: showInvoiceExplanation, config: { permission: "invoice", isHeavy: true } },
      (request) =>
        request.read(async (tx, organizationId) => ({
          explanation: toApiInvoiceExplanation(await explainInvoice(tx, organizationId, request.params.svc_id)),
        })),
    );
  };
