/** /invoices/preview. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { Problem } from "../../../http/problem.ts";
import { measureBills } from "./measure-bills.ts";
import { billsToMeasure, decidePreview, describePreview, loadPreview } from "./preview.ts";
import type { InvoiceWorkDeps } from "./save-invoice.ts";
import { previewInvoiceSchema } from "./schema.ts";

export const invoicePreviewRoutes =
  ({ events, clock, credits }: Pick<InvoiceWorkDeps, "events" | "clock" | "credits">): FastifyPluginAsyncTypebox =>
  async (app) => {
    const config = { permission: "invoice", isReading: true, activity: "none" } as const;

    app.post("/invoices/preview", { schema: previewInvoiceSchema, config }, async (request) => {
      const { external_subscription_id: externalId } = request.body.invoice;
      const preview = async () => {
        const loaded = await request.read((tx, organizationId) =>
          loadPreview(tx, credits, organizationId, { externalId }),
        );
        const measured = await measureBills(events, loaded.organizationId, billsToMeasure(loaded));
        return { invoice: describePreview(loaded, decidePreview(loaded, measured), clock) };
      };
      const answer = await preview().catch(asProblem);
      // Writes only the answer itself, for a repeat with the same Idempotency-Key.
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
