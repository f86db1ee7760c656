/** A successful request for every route of invoices. */

import type { Sample } from "./sample.ts";
import {
  anInvoice,
  givenCustomerAndAddOn,
  givenDraft,
  givenInvoice,
  givenMailableInvoice,
  givenSubscription,
} from "./sample-records.ts";

export const INVOICE_SAMPLES: Readonly<Record<string, Sample>> = {
  "POST /invoices": {
    permission: "invoice",
    given: givenCustomerAndAddOn,
    body: anInvoice,
    references: ["external_customer_id", "add_on_code", "tax_codes"],
    // Units are shown as a decimal string.
    ignored: ["unit_amount_cents", "units"],
  },
  "GET /invoices": { permission: "invoice" },
  "GET /invoices/summary": {
    permission: "invoice",
    given: async (call, mark) => {
      await givenInvoice(call, mark);
      return { external_customer_id: `customer ${mark}` };
    },
    query: ({ external_customer_id = "" }) => ({ external_customer_id }),
  },
  "GET /invoices/:svc_id": { permission: "invoice", given: givenInvoice },
  "GET /invoices/:svc_id/verification": { permission: "invoice", given: givenInvoice },
  "GET /invoices/:svc_id/explanation": { permission: "invoice", given: givenInvoice },
  "GET /invoices/:svc_id/pages": { permission: "invoice", given: givenInvoice },
  "PUT /invoices/:svc_id": {
    permission: "invoice",
    given: givenInvoice,
    body: () => ({ invoice: { payment_status: "succeeded", metadata: [{ key: "order", value: "17" }] } }),
    ignored: ["id"],
  },
  "PUT /invoices/:svc_id/refresh": { permission: "invoice", given: givenDraft, isAction: true },
  "PUT /invoices/:svc_id/finalize": { permission: "invoice", given: givenDraft, isAction: true },
  "POST /invoices/:svc_id/void": { permission: "invoice", given: givenInvoice, isAction: true },
  "POST /invoices/:svc_id/write_off": {
    permission: "invoice",
    given: givenInvoice,
    body: () => ({ reason: "bad debt" }),
    ignored: ["reason"],
  },
  "POST /invoices/:svc_id/lose_dispute": { permission: "invoice", given: givenInvoice, isAction: true },
  "POST /invoices/:svc_id/retry": { permission: "invoice", given: givenInvoice, isAction: true, answers: 405 },
  "POST /invoices/:svc_id/download": { permission: "invoice", given: givenInvoice, isAction: true, answers: 202 },
  "POST /invoices/:svc_id/download_pdf": { permission: "invoice", given: givenInvoice, isAction: true, answers: 202 },
  "POST /invoices/preview": {
    permission: "invoice",
    isReading: true,
    given: givenSubscription,
    body: (_mark, { external_id }) => ({ invoice: { external_subscription_id: external_id } }),
    references: ["external_subscription_id"],
    ignored: ["external_subscription_id"],
  },
  "POST /invoices/:svc_id/resend_email": { permission: "invoice", isAction: true, given: givenMailableInvoice },
};
