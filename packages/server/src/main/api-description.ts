/** The words of the API description that belong to no route: its introduction, its tags, and names of operations chosen by hand. */
import type { ApiWords } from "../http/openapi.ts";
import examples from "./api-examples.json" with { type: "json" };

const INTRODUCTION = `Usage-based billing where every cent can be traced to the events behind it.

## Authentication
Send an API key with every request: \`Authorization: Bearer <key>\`. A key belongs to one organization, and each of its permissions is for reading or
writing one kind of resource. Keys are made with \`POST /api_keys\`, or by an operator with \`npm run keys\`. A key that is missing, unknown, expired or revoked is refused with 401, one that
lacks the permission with 403.

## People
A person who signed in at \`/session\` calls with its cookie, and names the organization in the header \`Tallystick-Organization\`. A role has the same permissions
as a key. Changes of members, roles and rules need a proof of the person that is at most 15 minutes old. See the guide on people.

## Requests and responses
Bodies are JSON in UTF-8. A record is wrapped in its name: \`{"customer": {…}}\`. Every success under \`/api/v1\` is 200, deletions included. An update changes
only the members that are present: \`null\` clears a member, and an absent one stays. Amounts whose name ends in \`_cents\` are whole numbers in the smallest
unit of the currency; other decimals are strings, so that no digit is lost. Instants are ISO 8601 in UTC.

## Errors
A refusal has the HTTP status in \`status\`, its name in \`error\` and, where there is one, a \`code\` for programs. \`message\` says what is wrong and what to do.
For 422, \`errors\` lists each fault with its path, and \`error_details\` has the codes of each member. Quote \`request_id\` when you report a problem; it is also in the
header \`X-Request-Id\`. A 5xx response, or none, means that the outcome is unknown: send the same request again with the same \`Idempotency-Key\`.

## Pages
Lists take \`page\` (from 1) and \`per_page\` (100 by default, at most 1000). \`meta\` has the number of the next page, or null on the last, and the totals.

## Idempotency
Every POST takes an \`Idempotency-Key\`. For 24 hours, a request with the same key and the same body gets the first response again and has no second effect.
The same key with another body is refused. Events need no key: \`transaction_id\` identifies them forever.

## Rate limits
An operator can limit requests per second and key, separately for events, for usage and for everything else. A request over the limit is refused with 429;
wait for the seconds in \`Retry-After\`. The headers \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\` show the state.

## Versions
\`/api/v1\` only grows: members, operations and message types are added and never removed or given another meaning. So ignore members that you do not know.

## Sandbox
An organization that was created as a sandbox can use test clocks: a customer on a test clock lives through months of billing in seconds. A sandbox sends
emails only to addresses that the operator allows.`;

const TAGS: Readonly<Record<string, string>> = {
  Activities: "Who changed what, and how often keys were used.",
  "Add-ons": "Things that are billed once, on an invoice of their own.",
  "API keys": "What programs of the organization call the API with, each with its permissions.",
  "Applied coupons": "Coupons that a customer has, with what is left of them.",
  "Billable metrics": "How usage events become a quantity that can be priced.",
  "Billing run": "The work that creates and finalizes invoices at their instants, and its pause.",
  Coupons: "Discounts that can be applied to customers.",
  "Credit notes": "Corrections of finalized invoices, as credit for later invoices or as refunds.",
  Customers: "Who is billed, with address, currency, time zone and taxes.",
  Events: "Usage, sent as it happens. Each event counts once, however often it is sent.",
  Fees: "The lines of invoices, and fees that are charged as events arrive. Each can be explained.",
  Invitations: "Links by which people become members of the organization.",
  "Held invoices": "Invoices of which two computations differ, and which wait for an operator.",
  Invoices: "Bills of subscriptions, add-ons and prepaid credits, from draft to payment.",
  Mails: "Emails that deliver documents to customers.",
  Members: "The people who may act for the organization, and their roles.",
  Organization: "The organization of the API key: its address, defaults and settings.",
  "Parked items": "Work that cannot be billed and waits for an operator.",
  Plans: "Prices: a base fee per period, charges for usage, taxes and minimums.",
  Roles: "Sets of permissions that members have.",
  "Identity providers": "OpenID Connect providers through which people of the organization sign in.",
  "Sample data": "The data of a small company, to try the service in a sandbox organization.",
  Search: "Finds records of every kind, for people who look for something.",
  "Sign-in rules": "What the organization demands of people who sign in.",
  Subscriptions: "A customer's use of a plan over time.",
  Taxes: "Tax rates, applied to the organization, customers, plans, charges or add-ons.",
  "Test clocks": "Simulated time for the customers of a sandbox organization.",
  Usage: "The usage of customers in current and past periods, with its price.",
  Wallets: "Prepaid credits that pay invoices.",
  "Webhook endpoints": "Where messages about changes are sent.",
  Webhooks: "Messages about changes, the log of their delivery, and the keys to check them.",
};

/** Only where the derived name says something else than the operation does. */
const OPERATION_IDS: Readonly<Record<string, string>> = {
  "GET /organizations": "getOrganization",
  "PUT /organizations": "updateOrganization",
  "POST /customers": "upsertCustomer",
  "GET /customers/{external_id}/current_usage": "getCurrentUsage",
  "GET /customers/{external_id}/past_usage": "listPastUsage",
  "POST /applied_coupons": "applyCoupon",
  "DELETE /customers/{external_id}/applied_coupons/{svc_id}": "removeAppliedCoupon",
  "DELETE /subscriptions/{external_id}": "terminateSubscription",
  "POST /events": "sendEvent",
  "POST /events/batch": "sendEvents",
  "POST /events/estimate_fees": "estimateFees",
  "GET /fees/{svc_id}/explanation/events": "listFeeEvents",
  "POST /invoices/{svc_id}/write_off": "writeOffInvoice",
  "GET /invoices/{svc_id}/pages": "getInvoicePages",
  "POST /wallet_transactions": "createWalletTransactions",
  "DELETE /wallets/{svc_id}": "terminateWallet",
  "GET /sample_data": "getSampleData",
  "POST /sample_data": "makeSampleData",
  "DELETE /sample_data": "removeSampleData",
  "GET /sign_in_rules": "getSignInRules",
  "PUT /sign_in_rules": "updateSignInRules",
  "GET /webhooks/json_public_key": "getWebhookPublicKey",
  "GET /webhooks/public_key": "getWebhookPublicKeyAsText",
  "POST /webhooks/replay": "replayWebhooks",
  "GET /search": "searchRecords",
};

export const API_WORDS: ApiWords = { introduction: INTRODUCTION, tags: TAGS, operationIds: OPERATION_IDS, examples };
