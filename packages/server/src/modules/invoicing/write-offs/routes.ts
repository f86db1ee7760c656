/** /invoices/{id}/write_off: writes off an amount due that will not be paid. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { Clock } from "../../../platform/clock.ts";
import { alone } from "../../../platform/postgres/batch.ts";
import { describeInvoice } from "../invoices/index.ts";
import { writeOffSchema } from "./schema.ts";
import { writeOffInvoice } from "./write-off-invoice.ts";

export const writeOffRoutes =
  (clock: Clock): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.post("/invoices/:svc_id/write_off", { schema: writeOffSchema, config: { permission: "invoice" } }, (request) =>
      request.write(async (tx, organizationId) => {
        const { amount_cents: amount, reason } = request.body;
        const addressed = { organizationId, id: request.params.svc_id };
        const row = await writeOffInvoice(tx, clock, addressed, { amount: amount ?? null, reason });
        return { invoice: await describeInvoice(alone(tx), organizationId, row) };
      }),
    );
  };
