/** The error codes of each module, by the name that the error reference shows. */
import { addOnErrors, billableMetricErrors, couponErrors, planErrors, taxErrors } from "../modules/catalogue/index.ts";
import { appliedCouponErrors, creditNoteErrors, walletErrors } from "../modules/credit/index.ts";
import { customerErrors, testClockErrors } from "../modules/customers/index.ts";
import { documentErrors, mailErrors } from "../modules/documents/index.ts";
import { eventErrors } from "../modules/events/index.ts";
import { feeErrors, invoiceErrors, parkedItemErrors, writeOffErrors } from "../modules/invoicing/index.ts";
import { explanationErrors, verificationErrors } from "../modules/proof/index.ts";
import { subscriptionErrors } from "../modules/subscriptions/index.ts";
import { usageErrors } from "../modules/usage/index.ts";
import { webhookEndpointErrors, webhookLogErrors } from "../modules/webhooks/index.ts";

export const ERROR_CATALOGUES = {
  "Add-ons": addOnErrors.catalogue,
  "Applied coupons": appliedCouponErrors.catalogue,
  "Billable metrics": billableMetricErrors.catalogue,
  Coupons: couponErrors.catalogue,
  "Credit notes": creditNoteErrors.catalogue,
  Customers: customerErrors.catalogue,
  Documents: documentErrors.catalogue,
  Events: eventErrors.catalogue,
  Explanations: explanationErrors.catalogue,
  Fees: feeErrors.catalogue,
  Invoices: invoiceErrors.catalogue,
  Mails: mailErrors.catalogue,
  "Parked items": parkedItemErrors.catalogue,
  Plans: planErrors.catalogue,
  Subscriptions: subscriptionErrors.catalogue,
  Taxes: taxErrors.catalogue,
  "Test clocks": testClockErrors.catalogue,
  Usage: usageErrors.catalogue,
  Verification: verificationErrors.catalogue,
  Wallets: walletErrors.catalogue,
  "Webhook endpoints": webhookEndpointErrors.catalogue,
  Webhooks: webhookLogErrors.catalogue,
  "Write-offs": writeOffErrors.catalogue,
};
