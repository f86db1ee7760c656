/** Customers with many drafts and nothing to spend yet: what clients then fight about. */
import { setTimeout as pause } from "node:timers/promises";
import { makeOrganization } from "../../packages/server/src/main/make-organization.ts";
import type { Records } from "../invoice-checks.ts";
import type { CustomerCoupon } from "../oracle/customer-case.ts";
import type { Call, Service } from "../served-api.ts";
import type { PastService } from "../unbilled-weeks.ts";

/** So few that several clients are always at the same one. */
const CUSTOMERS = 4;
/** Each is a draft of every customer. */
export const WEEKS = 36;
/** Nothing is finalized by itself. */
const GRACE_DAYS = 1000;
const LOOK_EVERY_MS = 50;

/** One subscription of each, so that an invoice has two fees. */
export const PLANS = [
  { code: "small", cents: 1999 },
  { code: "large", cents: 7001 },
] as const;

export const TAXES = [
  { code: "vat", rate: "20" },
  { code: "city", rate: "1.55" },
] as const;

type Terms = Omit<CustomerCoupon, "appliedAt" | "isForeign"> & { isReusable: boolean };
const EVERYWHERE = { planCodes: null, metricCodes: null, isReusable: true };

/** Of every kind; two that may not be had at once, and one that may be had once. */
export const COUPONS: Readonly<Record<string, Terms>> = {
  once: { kind: "fixed", cents: "6000", frequency: "once", ...EVERYWHERE },
  half: { kind: "percentage", rate: "50", frequency: "once", ...EVERYWHERE },
  thrice: { kind: "percentage", rate: "12.5", frequency: "recurring", remaining: 3, ...EVERYWHERE },
  always: { kind: "fixed", cents: "111", frequency: "forever", ...EVERYWHERE, isReusable: false },
  small: { kind: "fixed", cents: "700", frequency: "recurring", remaining: 2, ...EVERYWHERE, planCodes: ["small"] },
  smaller: { kind: "percentage", rate: "33.333", frequency: "once", ...EVERYWHERE, planCodes: ["small"] },
};

export type World = { organizationId: string; key: string };

export async function makeWorld(service: Service): Promise<World> {
  const { id, key } = await makeOrganization(service.platform, { name: "Credits", isSandbox: false, keyName: "races" });
  const call = service.callWith(key);
  for (const { code, rate } of TAXES)
    await call("POST", "/taxes", { tax: { name: code, code, rate, applied_to_organization: true } });
  for (const { code, cents } of PLANS) {
    const terms = { interval: "weekly", amount_cents: cents, amount_currency: "EUR", pay_in_advance: false };
    await call("POST", "/plans", { plan: { name: code, code, ...terms, charges: [] } });
  }
  for (const [code, terms] of Object.entries(COUPONS))
    await call("POST", "/coupons", { coupon: couponOf(code, terms) });
  return { organizationId: id, key };
}

const couponOf = (code: string, { kind, cents, rate, frequency, remaining, isReusable, planCodes }: Terms) => ({
  name: code,
  code,
  ...(kind === "fixed"
    ? { coupon_type: "fixed_amount", amount_cents: Number(cents), amount_currency: "EUR" }
    : { coupon_type: "percentage", percentage_rate: rate }),
  frequency,
  ...(remaining === undefined ? {} : { frequency_duration: remaining }),
  expiration: "no_expiration",
  reusable: isReusable,
  ...(planCodes === null ? {} : { applies_to: { plan_codes: planCodes } }),
});

export type Customer = { id: string; name: string; drafts: readonly string[] };

/** They came long ago, so that a worker has all their weeks to bill; as drafts. */
export async function makeCustomers(
  past: PastService,
  { key }: World,
  { round, records, signal }: { round: number; records: Records; signal: AbortSignal },
): Promise<Customer[]> {
  const names = Array.from({ length: CUSTOMERS }, (_, number) => `round ${round} customer ${number}`);
  for (const name of names) await subscribe(past.callWith(key), name);
  for (;;) {
    const { rows } = await records.query<Customer>(DRAFTS, [names]);
    if (rows.every(({ drafts }) => drafts.length >= WEEKS)) return rows;
    await pause(LOOK_EVERY_MS, undefined, { signal });
  }
}

async function subscribe(call: Call, name: string): Promise<void> {
  const billing_configuration = { invoice_grace_period: GRACE_DAYS };
  await call("POST", "/customers", { customer: { external_id: name, billing_configuration } });
  for (const { code } of PLANS) {
    const external_id = `${name} ${code}`;
    const terms = { plan_code: code, billing_time: "anniversary" };
    await call("POST", "/subscriptions", { subscription: { external_customer_id: name, external_id, ...terms } });
  }
}

const DRAFTS = `
  select customer.id, customer.external_id as name, array(
    select invoice.id from invoices invoice where invoice.organization_id = customer.organization_id
      and invoice.customer_id = customer.id and invoice.status = 'draft' order by invoice.id
  ) as drafts
  from customers customer where customer.external_id = any($1) order by customer.id`;
