/** /invoices and past usage: reads, and invoices billed at once. Changes are in `change-routes.ts`. */
import type { FastifyPluginAsyncTypebox, Static } from "@fastify/type-provider-typebox";
import { asDecimal } from "@tallystick/core/catalog";
import { type Decimal, ZERO } from "@tallystick/core/money";
import { readPage, toApiMeta } from "../../../http/pagination.ts";
import { invalidMembers } from "../../../http/problem.ts";
import { alone } from "../../../platform/postgres/batch.ts";
import { describeInvoice, describeInvoices } from "./describe-invoices.ts";
import { invoiceErrors } from "./errors.ts";
import { pageOfInvoices, sumInvoices } from "./lists/store.ts";
import { createOneOff, type OneOffRequest } from "./one-off.ts";
import { readPastUsage } from "./past-usage.ts";
import type { InvoiceWorkDeps } from "./save-invoice.ts";
import {
  createInvoiceSchema,
  invoiceFilters,
  invoiceList,
  listInvoices,
  showInvoice,
  showPastUsage,
  summarizeInvoicesSchema,
} from "./schema.ts";
import { findInvoice } from "./store.ts";
import { summarize } from "./summarize-invoices.ts";

export const invoiceRoutes =
  (deps: InvoiceWorkDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    const config = { permission: "invoice" };

    app.get("/invoices", { schema: listInvoices, config }, (request) =>
      request.read(async (tx, organizationId) => {
        const { rows, meta } = await pageOfInvoices(tx, organizationId, invoiceList.read(request.query));
        const described = await describeInvoices(alone(tx), organizationId, rows);
        const invoices = await deps.documents.withFileUrls(tx, organizationId, described, {
          clock: deps.clock,
          request,
        });
        return { invoices, meta };
      }),
    );

    app.get("/invoices/summary", { schema: summarizeInvoicesSchema, config }, (request) =>
      request.read(async (tx, organizationId) => ({
        invoice_summary: summarize(await sumInvoices(tx, organizationId, invoiceFilters.read(request.query))),
      })),
    );

    app.get("/invoices/:svc_id", { schema: showInvoice, config }, (request) =>
      request.read(async (tx, organizationId) => {
        const row = await findInvoice(tx, organizationId, request.params.svc_id);
        if (!row) throw invoiceErrors.problem("invoice_not_found");
        const described = await describeInvoice(alone(tx), organizationId, row);
        const [invoice] = await deps.documents.withFileUrls(tx, organizationId, [described], {
          clock: deps.clock,
          request,
        });
        return { invoice: invoice ?? described };
      }),
    );

    app.post("/invoices", { schema: createInvoiceSchema, config }, (request) =>
      request.write(async (tx, organizationId) => {
        const row = await createOneOff(tx, deps, organizationId, toOneOff(request.body.invoice));
        return { invoice: await describeInvoice(alone(tx), organizationId, row) };
      }),
    );

    app.get(
      "/customers/:external_id/past_usage",
      { schema: showPastUsage, config: { permission: "customer_usage", rateBucket: "usage" } },
      (request) =>
        request.read(async (tx, organizationId) => {
          const { query, params } = request;
          const requested = {
            externalCustomerId: params.external_id,
            externalSubscriptionId: query.external_subscription_id,
            metricCode: query.billable_metric_code,
          };
          const newest = readPage({ per_page: query.periods_count ?? query.per_page, page: query.page });
          const { periods, total } = await readPastUsage(tx, organizationId, requested, newest);
          return { usage_periods: periods, meta: toApiMeta(newest, total) };
        }),
    );
  };

function toOneOff({
  external_customer_id,
  currency,
  purchase_order_number,
  fees,
}: Static<typeof createInvoiceSchema.body>["invoice"]): OneOffRequest {
  return {
    externalCustomerId: external_customer_id,
    currency: currency ?? null,
    purchaseOrderNumber: purchase_order_number ?? null,
    fees: (fees ?? []).map((fee, index) => ({
      addOnCode: fee.add_on_code,
      units: toUnits(fee.units, `fees[${index}].units`),
      unitAmountCents: fee.unit_amount_cents ?? null,
      description: fee.description ?? null,
      taxCodes: fee.tax_codes ?? null,
    })),
  };
}

const BAD_UNITS = 'The units are not a decimal of 0 or more. Send digits and, where needed, a point: "2.5".';

function toUnits(input: string | number | null | undefined, path: string): Decimal | null {
  if (input === null || input === undefined) return null;
  const units = asDecimal(String(input));
  if (!units || units.lt(ZERO)) throw invalidMembers([{ path, code: "value_is_invalid", message: BAD_UNITS }]);
  return units;
}
