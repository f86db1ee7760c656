/** The resources that a key can be allowed to read or write. */
import type { Action, Permissions } from "../../../http/auth.ts";

export const PERMISSION_RESOURCES = [
  "add_on",
  "analytic",
  "applied_coupon",
  "billable_metric",
  "billing_run",
  "coupon",
  "credit_note",
  "customer",
  "customer_usage",
  "event",
  "fee",
  "invoice",
  "mail",
  "organization",
  "payment",
  "plan",
  "plan_override",
  "subscription",
  "tax",
  "test_clock",
  "wallet",
  "wallet_transaction",
  "webhook_endpoint",
  "webhook_jwt_public_key",
] as const;

/** Reads "customer:read,tax:read+write". Errors are worded for the person at the command line. */
export function parsePermissions(text: string | undefined): Permissions {
  if (text === undefined) return null;
  const entries = text.split(",").map((part) => {
    const [resource = "", actions = ""] = part.trim().split(":");
    if (!(PERMISSION_RESOURCES as readonly string[]).includes(resource)) {
      throw new Error(`"${resource}" is not a resource. Choose from: ${PERMISSION_RESOURCES.join(", ")}`);
    }
    const list = actions.split("+");
    if (!list.every((action) => action === "read" || action === "write")) {
      throw new Error(`"${part.trim()}": write ${resource}:read, ${resource}:write or ${resource}:read+write`);
    }
    return [resource, list as Action[]];
  });
  return Object.fromEntries(entries);
}
