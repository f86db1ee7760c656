/** What a permission reaches beyond the records that it is named after. The operations themselves are read from the routes. */
import type { Action } from "../http/auth.ts";
import type { PERMISSION_RESOURCES } from "../modules/accounts/index.ts";

export type PermissionName = `${(typeof PERMISSION_RESOURCES)[number]}:${Action}`;

const NOTHING = "Nothing else.";

export const PERMISSION_REACH: Readonly<Partial<Record<PermissionName, string>>> = {
  "activity:read":
    "Shows what every key and person changed, with their network addresses, and customers, catalog objects and settings before and after each change.",
  "add_on:read": NOTHING,
  "add_on:write": NOTHING,
  "api_key:read": "Shows names and permissions of keys, and when each was last used. It shows no tokens.",
  "api_key:write":
    "Makes keys with at most the permissions and the life of the calling key, and revokes any key. Revoking a key stops the program that uses it.",
  "applied_coupon:read": NOTHING,
  "applied_coupon:write": "Lowers later invoices of a customer. The terms can differ from those of the coupon.",
  "billable_metric:read": NOTHING,
  "billable_metric:write": "Deleting a metric removes its charges from all plans: that usage is no longer billed.",
  "billing_run:read": "Shows the reason why something is not billed, with ids of events, invoices and customers.",
  "billing_run:write":
    "What is skipped is never billed. A pause stops the invoices of all customers until billing resumes.",
  "coupon:read": NOTHING,
  "coupon:write": "Deleting a coupon ends it for the customers who have it.",
  "credit_note:read": "Shows the customer and the items of invoices.",
  "credit_note:write":
    "Gives money back, as credit or refund. Sends emails to the customer. Links to PDF files work without a key for seven days.",
  "customer:read": NOTHING,
  "customer:write":
    "A new time zone moves billing periods. Deleting a customer ends its subscriptions, creates their last invoices, and ends coupons and wallets.",
  "customer_usage:read": "Shows prices, and the groups and filters of events.",
  "event:read": "Shows the ids of the fees that bill an event.",
  "event:write": "Usage becomes amounts on invoices; charges in advance bill it at once. An estimate shows prices.",
  "fee:read": "An explanation shows events with their properties, and the prices.",
  "fee:write": NOTHING,
  "identity_provider:read": NOTHING,
  "identity_provider:write":
    "Decides for how long people stay signed in, and through which identity providers: whoever runs a provider can sign in as any member, " +
    "owners included, whose mail address has a domain that the operator approved. A key needs it by name. Only an owner changes what a " +
    "sign-in demands.",
  "held_invoice:read": "Shows the amounts, usage and prices of invoices that are not final.",
  "held_invoice:write": "Finalizes an invoice that a second computation contradicts.",
  "invoice:read":
    "Shows the customer, subscriptions, fees, credits and metadata of an invoice. Explanations and verifications show usage and ids of events. A preview shows usage and prices.",
  "invoice:write":
    "Bills a customer for any add-on at any price, voids invoices and writes them off, and sets them to paid, which also grants purchased credits. Sends emails to the customer. Links to PDF files work without a key for seven days.",
  "mail:read": "Shows email addresses of customers.",
  "member:read": "Shows names and mail addresses of the people of the organization. A key needs it by name.",
  "member:write":
    "Lets people in, and takes their access away, up to the permissions of the key itself. A key needs it by name.",
  "message:read":
    "Shows the payloads of all messages: customers, invoices and every other object, as if the key could read them.",
  "organization:read": "Shows the URLs of webhook endpoints.",
  "organization:write":
    "Changes the terms of every customer that has none of its own: time zone, payment term and grace period. Changes the names of members for every client (`field_prefix`). In a sandbox, makes customers, plans and invoices as sample data, and removes them.",
  "plan:read": NOTHING,
  "plan:write":
    "New prices apply to every subscription of the plan from the current period on. Deleting a plan ends its subscriptions.",
  "plan_override:write": "Has no operation of its own: it lets `subscription:write` set prices.",
  "role:read": "A key needs it by name.",
  "role:write": "Changes what members may do, up to the permissions of the key itself. A key needs it by name.",
  "subscription:read":
    "Shows the plan with its prices. With `invoice:read`, a preview shows the invoices and credit notes that a change would make.",
  "subscription:write":
    "Creates invoices where a plan is billed in advance or ends. An end can credit or refund unused days.",
  "tax:read": NOTHING,
  "tax:write":
    "Changes the taxes of drafts and later invoices. Deleting a tax removes it from customers, plans, charges and add-ons.",
  "test_clock:read": NOTHING,
  "test_clock:write":
    "Only in a sandbox: advancing a clock does all work of its customers, invoices and webhooks included. Deleting a clock deletes its customers.",
  "wallet:read": NOTHING,
  "wallet:write":
    "Grants credits, and buys credits, which creates invoices. Rules can repeat both. Terminating a wallet voids its balance.",
  "wallet_transaction:read": NOTHING,
  "wallet_transaction:write": "Grants credits, voids credits, and buys credits, which creates invoices.",
  "webhook_endpoint:read":
    "Shows the payloads of all webhooks: customers, invoices and every other object, as if the key could read them.",
  "webhook_endpoint:write":
    "Sends every later change of every object to any public URL, and shows the secret of a new endpoint. The key needs no permission to read those objects.",
  "webhook_jwt_public_key:read": NOTHING,
};
