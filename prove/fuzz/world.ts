/** Two organizations that are queried about each other: what each has received, and what it has sent. */
import type { Place, Random } from "./values.ts";
import { pick } from "./values.ts";

export type Tenant = {
  organizationId: string;
  key: string;
  /** Stands in the texts that it sends, and in none that the other sends. */
  secret: string;
  /** By resource and member, "invoice.svc_id": the last values that answers showed. */
  names: Map<string, string[]>;
  /** Ids that it has sent itself: they may come back. */
  sent: Set<string>;
  /** Ids that it received first, without having sent them: they are its own. */
  published: Set<string>;
};

export type Pair = readonly [Tenant, Tenant];

const KEPT_MAX = 40;
const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;

export const newTenant = (organizationId: string, key: string, secret: string): Tenant => ({
  organizationId,
  key,
  secret,
  names: new Map(),
  sent: new Set(),
  published: new Set(),
});

export const idsIn = (text: string): string[] => (text.match(ID) ?? []).map((id) => id.toLowerCase());

export function rememberSent(tenant: Tenant, text: string): void {
  for (const id of idsIn(decodeLoosely(text))) tenant.sent.add(id);
}

/** Keeps what the answer names, so that later requests can name it too. */
export function rememberAnswer(tenant: Tenant, other: Tenant, answer: { text: string; body: unknown }): void {
  for (const id of idsIn(answer.text)) if (!tenant.sent.has(id) && !other.published.has(id)) tenant.published.add(id);
  collect(tenant, "", answer.body);
}

function collect(tenant: Tenant, resource: string, value: unknown): void {
  if (Array.isArray(value)) for (const item of value) collect(tenant, resource, item);
  else if (typeof value === "object" && value !== null)
    for (const [name, member] of Object.entries(value)) {
      const key = typeof member === "string" ? nameOf(resource, name) : undefined;
      if (key !== undefined) keep(tenant, key, member as string);
      else collect(tenant, singular(name), member);
    }
}

function keep({ names }: Tenant, key: string, value: string): void {
  const kept = names.get(key) ?? [];
  names.set(key, kept);
  if (kept.includes(value)) return;
  kept.push(value);
  if (kept.length > KEPT_MAX) kept.shift();
}

/** `external_customer_id` is the external_id of a customer, `plan_code` the code of a plan, `fee_id` the svc_id of a fee. */
function nameOf(resource: string, member: string): string | undefined {
  if (member === "id" || member === "svc_id") return `${resource}.svc_id`;
  if (["code", "external_id", "transaction_id"].includes(member))
    return resource === "event" && member === "code" ? "billable_metric.code" : `${resource}.${member}`;
  const [, external, owner, kind] = /^(external_|svc_)?(\w+?)_(id|code|codes)$/.exec(member) ?? [];
  if (owner === undefined) return undefined;
  if (kind === "id") return `${owner}.${external === "external_" ? "external_id" : "svc_id"}`;
  return `${owner}.code`;
}

/** A name for the place of a body, that this organization received. */
export function knownName(tenant: Tenant, random: Random, place: Place): string | undefined {
  const key = nameOf(singular(place.at(-2) ?? ""), place.at(-1) ?? "");
  const values = key === undefined ? undefined : tenant.names.get(key);
  return values && values.length > 0 ? pick(random, values) : undefined;
}

export const singular = (name: string): string => name.replace(/(?<=x)es$|s$/, "");

function decodeLoosely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
