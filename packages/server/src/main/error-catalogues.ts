/** The error codes of each module, by the name that the error reference shows. */
import type { MeaningOf } from "../http/error-messages.ts";
import { etagErrors } from "../http/etags.ts";
import { peopleErrors } from "../http/people.ts";
import type { ErrorCatalog } from "../http/problem.ts";
import { VALIDATION_CODES } from "../http/validation-codes.ts";
import { clockErrors } from "../http/wrong-clock.ts";
import {
  activityErrors,
  apiKeyErrors,
  dataKeyErrors,
  factorErrors,
  identityProviderErrors,
  invitationErrors,
  memberErrors,
  passkeyErrors,
  roleErrors,
  sessionErrors,
  signInRuleErrors,
} from "../modules/accounts/index.ts";
import { addOnErrors, billableMetricErrors, couponErrors, planErrors, taxErrors } from "../modules/catalogue/index.ts";
import { appliedCouponErrors, creditNoteErrors, walletErrors } from "../modules/credit/index.ts";
import { customerErrors, testClockErrors } from "../modules/customers/index.ts";
import { documentErrors, mailErrors } from "../modules/documents/index.ts";
import { eventErrors } from "../modules/events/index.ts";
import {
  feeErrors,
  heldInvoiceErrors,
  invoiceErrors,
  parkedItemErrors,
  writeOffErrors,
} from "../modules/invoicing/index.ts";
import { explanationErrors, verificationErrors } from "../modules/proof/index.ts";
import { sampleDataErrors } from "../modules/samples/index.ts";
import { subscriptionErrors } from "../modules/subscriptions/index.ts";
import { usageErrors } from "../modules/usage/index.ts";
import { feedErrors, webhookEndpointErrors, webhookLogErrors } from "../modules/webhooks/index.ts";

/** Those with operations have the name of their tag. */
export const ERROR_CATALOGS: Readonly<Record<string, ErrorCatalog>> = {
  Activities: activityErrors.catalog,
  "Add-ons": addOnErrors.catalog,
  "API keys": apiKeyErrors.catalog,
  "All changes": clockErrors.catalog,
  "All records": etagErrors.catalog,
  "Applied coupons": appliedCouponErrors.catalog,
  "Billable metrics": billableMetricErrors.catalog,
  Coupons: couponErrors.catalog,
  "Credit notes": creditNoteErrors.catalog,
  Customers: customerErrors.catalog,
  Documents: documentErrors.catalog,
  Events: eventErrors.catalog,
  Explanations: explanationErrors.catalog,
  Fees: feeErrors.catalog,
  "Identity providers": identityProviderErrors.catalog,
  Invitations: invitationErrors.catalog,
  "Held invoices": heldInvoiceErrors.catalog,
  Invoices: invoiceErrors.catalog,
  Mails: mailErrors.catalog,
  Members: memberErrors.catalog,
  "Parked items": parkedItemErrors.catalog,
  Passkeys: passkeyErrors.catalog,
  Plans: planErrors.catalog,
  "Requests of people": peopleErrors.catalog,
  Roles: roleErrors.catalog,
  "Sample data": sampleDataErrors.catalog,
  "Second factors": factorErrors.catalog,
  Secrets: dataKeyErrors.catalog,
  Sessions: sessionErrors.catalog,
  "Sign-in rules": signInRuleErrors.catalog,
  Subscriptions: subscriptionErrors.catalog,
  Taxes: taxErrors.catalog,
  "Test clocks": testClockErrors.catalog,
  Usage: usageErrors.catalog,
  Verification: verificationErrors.catalog,
  Wallets: walletErrors.catalog,
  "Webhook endpoints": webhookEndpointErrors.catalog,
  Webhooks: { ...webhookLogErrors.catalog, ...feedErrors.catalog },
  "Write-offs": writeOffErrors.catalog,
};

const catalogs = [VALIDATION_CODES as ErrorCatalog, ...Object.values(ERROR_CATALOGS)];

/** For codes that core reports: what they mean for the resource of the operation, or else for any, or else for the first resource that has them. */
export const meaningOf: MeaningOf = (code, tag = "") => {
  const catalog = ERROR_CATALOGS[tag];
  const found = catalog?.[code] ?? catalogs.find((one) => Object.hasOwn(one, code))?.[code];
  return found?.meaning;
};
