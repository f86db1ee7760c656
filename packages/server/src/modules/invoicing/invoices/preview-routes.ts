/** /invoices/preview. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { Problem } from "../../../http/problem.ts";
import { measureBills } from "./measure-bills.ts";
import { decidePreview, describePreview, loadPreview } from "./preview.ts";
import type { InvoiceWorkDeps } from "./save-invoice.ts";
import { previewInvoiceSchema } from "./schema.ts";
import { showUses } from "./spendable.ts";

export const invoicePreviewRoutes =
  ({ events, clock, credits }: Pick<InvoiceWorkDeps, "events" | "clock" | "credits">): FastifyPluginAsyncTypebox =>
  async (app) => {
    const config = { permission: "invoice" };

    app.post("/invoices/preview", { schema: previewInvoiceSchema, config }, async (request) => {
      const { external_subscription_id: externalId } = request.body.invoice;
      const preview = async () => {
        const loaded = await request.read((tx, organizationId) => loadPreview(tx, credits, organizationId, externalId));
        const bills = [...loaded.bills, ...[...loaded.earlier.values()].flat()];
        const measured = await measureBills(events, loaded.organizationId, bills);
        const previewed = decidePreview(loaded, measured);
        const shown = await request.read((tx, organizationId) =>
          showUses(tx, credits, organizationId, previewed.decided.invoice),
        );
        return { invoice: describePreview(loaded, { ...previewed, credits: shown }, clock) };
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
