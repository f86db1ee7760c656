/** /invoices/preview. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { Problem } from "../../http/problem.ts";
import { measureBills } from "./measure-bills.ts";
import { loadPreview, previewInvoice } from "./preview.ts";
import type { Making } from "./save-invoice.ts";
import { previewInvoiceSchema } from "./schema.ts";

export const invoicePreviewRoutes =
  ({ events, clock }: Pick<Making, "events" | "clock">): FastifyPluginAsyncTypebox =>
  async (app) => {
    const config = { permission: "invoice" };

    app.post("/invoices/preview", { schema: previewInvoiceSchema, config }, async (request) => {
      const { external_subscription_id: externalId } = request.body.invoice;
      const preview = async () => {
        const loaded = await request.read((tx, organizationId) => loadPreview(tx, organizationId, externalId));
        const measured = await measureBills(events, loaded.organizationId, [loaded.bill]);
        return { invoice: previewInvoice(loaded, measured, clock) };
      };
      const answer = await preview().catch(asProblem);
      // Nothing is written but the answer itself, for a repeat with the same Idempotency-Key.
      return request.write(async () => {
        if (answer instanceof Problem) throw answer;
        return answer;
      });
    });
  };

function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  throw error;
}
