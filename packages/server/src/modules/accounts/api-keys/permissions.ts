/** The resources that a key can be allowed to read or write, and common sets of permissions. */
import type { Action, Permissions } from "../../../http/auth.ts";
import { EVERY_RESOURCE } from "../../../http/permission-sets.ts";

export const PERMISSION_RESOURCES = [
  "activity",
  "add_on",
  "analytic",
  "api_key",
  "applied_coupon",
  "billable_metric",
  "billing_run",
  "coupon",
  "credit_note",
  "customer",
  "customer_usage",
  "event",
  "fee",
  "held_invoice",
  "identity_provider",
  "invoice",
  "mail",
  "member",
  "message",
  "organization",
  "payment",
  "plan",
  "plan_override",
  "role",
  "subscription",
  "tax",
  "test_clock",
  "wallet",
  "wallet_transaction",
  "webhook_endpoint",
  "webhook_jwt_public_key",
] as const;

export const ACTIONS = ["read", "write"] as const satisfies readonly Action[];

const FULL: readonly Action[] = ACTIONS;
const READ: readonly Action[] = ["read"];

const each = (actions: readonly Action[], ...resources: (typeof PERMISSION_RESOURCES)[number][]) =>
  Object.fromEntries(resources.map((resource) => [resource, actions]));

/** By the names that the API and the command line take. */
export const PRESETS: Readonly<Record<string, { permissions: Permissions; meaning: string }>> = {
  everything: {
    permissions: null,
    meaning: "Everything except keys, members, roles and identity providers, which a key must name.",
  },
  read_only: {
    permissions: { [EVERY_RESOURCE]: READ },
    meaning: "Reads what `everything` reads, and changes nothing.",
  },
  ingest: { permissions: { event: FULL }, meaning: "Sends events and reads what became of them." },
  billing: {
    permissions: {
      ...each(FULL, "customer", "subscription", "applied_coupon", "wallet", "wallet_transaction"),
      ...each(FULL, "invoice", "fee", "credit_note", "payment"),
      ...each(READ, "plan", "coupon", "add_on", "tax", "billable_metric", "customer_usage", "mail", "organization"),
    },
    meaning: "Customers, subscriptions, invoices, credit notes and wallets; reads the catalog.",
  },
};

/** Also what `everything` lacks: for sandboxes and development. */
export const ALL_PERMISSIONS: Permissions = { [EVERY_RESOURCE]: FULL, ...each(FULL, ...PERMISSION_RESOURCES) };

const NAMES: readonly string[] = [EVERY_RESOURCE, ...PERMISSION_RESOURCES];

/** Reads "customer:read,tax:read+write". Errors are worded for the person at the command line. */
export function parsePermissions(text: string | undefined): Permissions {
  if (text === undefined) return null;
  const entries = text.split(",").map((part) => {
    const [resource = "", actions = ""] = part.trim().split(":");
    if (!NAMES.includes(resource)) {
      throw new Error(`"${resource}" is not a resource. Choose from: ${NAMES.join(", ")}`);
    }
    const list = actions.split("+");
    if (!list.every((action) => action === "read" || action === "write")) {
      throw new Error(`"${part.trim()}": write ${resource}:read, ${resource}:write or ${resource}:read+write`);
    }
    return [resource, list as Action[]];
  });
  return Object.fromEntries(entries);
}
