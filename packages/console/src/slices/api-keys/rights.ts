/** What a key may do, in words. */
import type { ApiKeyCreate, Permissions } from "@tallystick/client";

export const ACTIONS = ["read", "write"] as const;
type Action = (typeof ACTIONS)[number];
export type Resource = Exclude<keyof Permissions, "*">;
export type Preset = NonNullable<ApiKeyCreate["preset"]>;
export type Allowed = readonly { resource: string; actions: readonly Action[] }[];

/** Every resource, in the order of the matrix. */
export const GROUPS: readonly { name: string; resources: Partial<Record<Resource, string>> }[] = [
  {
    name: "Customers",
    resources: {
      customer: "Customers",
      subscription: "Subscriptions",
      plan_override: "Prices of a subscription",
      applied_coupon: "Coupons of a customer",
      wallet: "Wallets",
      wallet_transaction: "Credits of a wallet",
    },
  },
  {
    name: "Invoices",
    resources: {
      invoice: "Invoices",
      fee: "Fees",
      credit_note: "Credit notes",
      payment: "Payments",
      mail: "Mails",
      held_invoice: "Held invoices",
      billing_run: "Billing run and parked items",
    },
  },
  {
    name: "Catalog",
    resources: { plan: "Plans", coupon: "Coupons", add_on: "Add-ons", tax: "Taxes", billable_metric: "Metrics" },
  },
  { name: "Usage", resources: { event: "Events", customer_usage: "Usage of a customer", analytic: "Analytics" } },
  {
    name: "Developers",
    resources: {
      webhook_endpoint: "Webhooks",
      webhook_jwt_public_key: "Public key of webhooks",
      message: "Messages",
      test_clock: "Test clocks",
    },
  },
  {
    name: "Organization",
    resources: {
      organization: "Settings",
      activity: "Activities",
      api_key: "API keys",
      member: "Members",
      role: "Roles",
      identity_provider: "Identity providers",
    },
  },
];

const NAMES: Readonly<Record<string, string>> = Object.assign({}, ...GROUPS.map(({ resources }) => resources));

const BOTH: Action[] = ["read", "write"];
const each = (actions: Action[], ...resources: Resource[]): Permissions =>
  Object.fromEntries(resources.map((resource) => [resource, actions]));

/** As the service defines them. */
export const PRESETS: readonly { preset: Preset; name: string; meaning: string; permissions: Permissions }[] = [
  {
    preset: "ingest",
    name: "Send events",
    meaning: "Sends events and reads what became of them. For the servers that report usage.",
    permissions: { event: BOTH },
  },
  {
    preset: "read_only",
    name: "Read only",
    meaning: "Reads what “Everything” reads, and changes nothing. For reports.",
    permissions: { "*": ["read"] },
  },
  {
    preset: "billing",
    name: "Billing",
    meaning: "Customers, subscriptions, invoices, credit notes and wallets; reads the catalog.",
    permissions: {
      ...each(BOTH, "customer", "subscription", "applied_coupon", "wallet", "wallet_transaction"),
      ...each(BOTH, "invoice", "fee", "credit_note", "payment"),
      ...each(["read"], "plan", "coupon", "add_on", "tax", "billable_metric", "customer_usage", "mail", "organization"),
    },
  },
  {
    preset: "everything",
    name: "Everything",
    meaning: "Reads and changes all but keys, members, roles and identity providers.",
    permissions: { "*": BOTH },
  },
];

/** A key with `everything` does not have them. */
const NAMED_ONLY: ReadonlySet<string> = new Set<Resource>(["api_key", "identity_provider", "member", "role"]);

/** Whether a person who is allowed that much may hand this out. */
export const mayGive = (allowed: Allowed, permissions: Permissions): boolean =>
  entriesOf(permissions).every(([resource, actions]) => {
    const resources = resource === "*" ? Object.keys(NAMES).filter((name) => !NAMED_ONLY.has(name)) : [resource];
    return resources.every((name) =>
      actions.every((action) => allowed.some((one) => one.resource === name && one.actions.includes(action))),
    );
  });

/** `most`: names of each kind; the others are counted. */
export function rightsInWords(permissions: Permissions, most = Number.POSITIVE_INFINITY): string {
  const preset = PRESETS.find((one) => isSame(one.permissions, permissions));
  if (preset) return preset.name;
  const entries = withoutIncluded(permissions);
  const isAll = entries.every(([resource]) => resource === "*" || NAMED_ONLY.has(resource));
  const nameOf = (resource: string): string =>
    resource === "*" ? (isAll ? "everything" : "everything else") : (NAMES[resource] ?? resource);
  const having = (...actions: readonly Action[]) =>
    entries
      .filter(([, list]) => list.length === actions.length && actions.every((action) => list.includes(action)))
      .map(([resource]) => nameOf(resource));
  const sentence = [
    { verb: "reads and changes", names: having("read", "write") },
    { verb: "changes", names: having("write") },
    { verb: "reads", names: having("read") },
  ]
    .filter(({ names }) => names.length > 0)
    .map(({ verb, names }) => `${verb} ${listed(names, most)}`)
    .join("; ");
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

const listed = (names: readonly string[], most: number): string => {
  const more = names.length - most;
  const shown = names.slice(0, most).map((name) => (name.startsWith("API") ? name : name.toLowerCase()));
  return more > 0 ? `${shown.join(", ")} and ${more} more` : shown.join(", ");
};

/** A resource that may no more and no less than every other says nothing of its own. */
const withoutIncluded = (permissions: Permissions): [string, readonly Action[]][] => {
  const every = permissions["*"]?.toSorted().join() ?? "";
  return entriesOf(permissions).filter(
    ([resource, actions]) => resource === "*" || NAMED_ONLY.has(resource) || actions.toSorted().join() !== every,
  );
};

const entriesOf = (permissions: Permissions) => Object.entries(permissions) as [string, readonly Action[]][];

const isSame = (one: Permissions, other: Permissions): boolean => spell(one) === spell(other);
const spell = (permissions: Permissions): string =>
  JSON.stringify(
    entriesOf(permissions)
      .map(([resource, actions]) => [resource, actions.toSorted()])
      .toSorted(),
  );
