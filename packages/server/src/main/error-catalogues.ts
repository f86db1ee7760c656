/** The codes that each module refuses with, by the name that the error reference shows. */
import { addOnErrors } from "../modules/add-ons/index.ts";
import { appliedCouponErrors } from "../modules/applied-coupons/index.ts";
import { billableMetricErrors } from "../modules/billable-metrics/index.ts";
import { couponErrors } from "../modules/coupons/index.ts";
import { creditNoteErrors } from "../modules/credit-notes/index.ts";
import { customerErrors } from "../modules/customers/index.ts";
import { documentErrors } from "../modules/documents/index.ts";
import { eventErrors } from "../modules/events/index.ts";
import { explanationErrors } from "../modules/explanations/index.ts";
import { feeErrors } from "../modules/fees/index.ts";
import { invoiceErrors } from "../modules/invoices/index.ts";
import { mailErrors } from "../modules/mails/index.ts";
import { parkedItemErrors } from "../modules/parked-items/index.ts";
import { planErrors } from "../modules/plans/index.ts";
import { subscriptionErrors } from "../modules/subscriptions/index.ts";
import { taxErrors } from "../modules/taxes/index.ts";
import { testClockErrors } from "../modules/test-clocks/index.ts";
import { usageErrors } from "../modules/usage/index.ts";
import { verificationErrors } from "../modules/verification/index.ts";
import { walletErrors } from "../modules/wallets/index.ts";
import { webhookEndpointErrors } from "../modules/webhook-endpoints/index.ts";
import { webhookLogErrors } from "../modules/webhook-log/index.ts";
import { writeOffErrors } from "../modules/write-offs/index.ts";

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
