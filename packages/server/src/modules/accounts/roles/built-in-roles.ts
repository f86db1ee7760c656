/** The roles that every organization has. A role is a set of permissions, in the words of API keys. */
import type { Action, Permissions } from "../../../http/auth.ts";
import { EVERY_RESOURCE } from "../../../http/permission-sets.ts";
import type { PERMISSION_RESOURCES } from "../api-keys/index.ts";

export const BUILT_IN_ROLES = ["owner", "admin", "finance", "developer", "support"] as const;
export type BuiltInRole = (typeof BUILT_IN_ROLES)[number];

type Resource = (typeof PERMISSION_RESOURCES)[number] | typeof EVERY_RESOURCE;

const READ: readonly Action[] = ["read"];
const BOTH: readonly Action[] = ["read", "write"];

const allowing = (actions: readonly Action[], resources: readonly Resource[]): Permissions =>
  Object.fromEntries(resources.map((resource) => [resource, actions]));

const CUSTOMERS = [
  ...["customer", "subscription", "plan_override", "applied_coupon", "wallet", "wallet_transaction"],
] as readonly Resource[];
const INVOICES: readonly Resource[] = ["invoice", "fee", "credit_note", "payment", "mail"];
const CATALOG: readonly Resource[] = ["plan", "coupon", "add_on", "tax"];
const USAGE: readonly Resource[] = ["billable_metric", "event", "customer_usage"];
const INTEGRATION: readonly Resource[] = ["webhook_endpoint", "webhook_jwt_public_key", "message", "test_clock"];

const PERMISSIONS: Readonly<Record<BuiltInRole, Permissions>> = {
  owner: allowing(BOTH, [EVERY_RESOURCE, "api_key", "identity_provider", "member", "role"]),
  admin: {
    ...allowing(BOTH, [EVERY_RESOURCE, "api_key", "member", "role"]),
    ...allowing(READ, ["identity_provider"]),
  },
  finance: {
    ...allowing(BOTH, [...CUSTOMERS, ...INVOICES, ...CATALOG, "billing_run"]),
    ...allowing(READ, [...USAGE, "analytic", "organization"]),
  },
  developer: {
    ...allowing(BOTH, [...USAGE, ...INTEGRATION, "api_key"]),
    ...allowing(READ, [...CUSTOMERS, ...INVOICES, ...CATALOG, "analytic", "organization", "billing_run"]),
  },
  support: allowing(READ, [...CUSTOMERS, ...INVOICES, ...CATALOG, ...USAGE, "analytic"]),
};

export const permissionsOf = (role: BuiltInRole): Permissions => PERMISSIONS[role];

export const isBuiltIn = (code: string): code is BuiltInRole => (BUILT_IN_ROLES as readonly string[]).includes(code);
