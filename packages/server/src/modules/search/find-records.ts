/** The records of each kind that a term finds, with the few members that tell them apart. */
import type { ListRequest } from "../../http/list-query.ts";
import { alone } from "../../platform/postgres/batch.ts";
import type { Tx } from "../../platform/postgres/database.ts";
import { findNamedPlans, pageOfAddOns, pageOfCoupons, pageOfMetrics } from "../catalogue/index.ts";
import { pageOfNotes } from "../credit/index.ts";
import { pageOfCustomers } from "../customers/index.ts";
import { describeInvoices, pageOfInvoices } from "../invoicing/index.ts";
import { describeSubscriptionsById, pageOfSubscriptions, STATUSES } from "../subscriptions/index.ts";
import { FOUND_MAX, type Found, type Results } from "./schema.ts";

type Kind = {
  /** The resource of the permission to read it. */
  resource: string;
  find: (tx: Tx, organizationId: string, list: ListRequest) => Promise<Found[]>;
};

const NAMELESS = { external_id: null, code: null };

type Coded = { rows: readonly { id: string; code: string; name: string | null }[] };
const codedOf = ({ rows }: Coded): Found[] =>
  rows.map(({ id, code, name }) => ({ svc_id: id, external_id: null, code, title: name ?? code, subtitle: code }));

export const KINDS: Readonly<Record<keyof Results, Kind>> = {
  customers: {
    resource: "customer",
    find: async (tx, organizationId, list) =>
      (await pageOfCustomers(tx, organizationId, list)).rows.map(({ id, external_id, name, email }) => ({
        ...{ svc_id: id, external_id, code: null },
        title: name ?? external_id,
        subtitle: email ?? external_id,
      })),
  },
  subscriptions: {
    resource: "subscription",
    find: async (tx, organizationId, list) => {
      const everyStatus = { ...list, filters: { status: STATUSES } };
      const { rows } = await pageOfSubscriptions(tx, organizationId, everyStatus);
      const ids = rows.map(({ id }) => id);
      return (await describeSubscriptionsById(alone(tx), organizationId, ids)).map((subscription) => ({
        ...{ svc_id: subscription.svc_id, external_id: subscription.external_id, code: null },
        title: subscription.name || subscription.external_id,
        subtitle: `${subscription.external_customer_id}, ${subscription.plan_code}, ${subscription.status}`,
      }));
    },
  },
  plans: {
    resource: "plan",
    find: async (tx, organizationId, list) => codedOf(await findNamedPlans(tx, organizationId, list)),
  },
  billable_metrics: {
    resource: "billable_metric",
    find: async (tx, organizationId, list) => codedOf(await pageOfMetrics(tx, organizationId, list)),
  },
  invoices: {
    resource: "invoice",
    find: async (tx, organizationId, list) => {
      const { rows } = await pageOfInvoices(tx, organizationId, list);
      return (await describeInvoices(alone(tx), organizationId, rows)).map(({ svc_id, number, customer }) => ({
        ...{ svc_id, ...NAMELESS },
        title: number,
        subtitle: customer.name ?? customer.external_id,
      }));
    },
  },
  credit_notes: {
    resource: "credit_note",
    find: async (tx, organizationId, list) =>
      (await pageOfNotes(tx, organizationId, list)).rows.map(({ id, number, invoice_number }) => ({
        ...{ svc_id: id, ...NAMELESS },
        title: number,
        subtitle: invoice_number,
      })),
  },
  coupons: {
    resource: "coupon",
    find: async (tx, organizationId, list) => codedOf(await pageOfCoupons(tx, organizationId, list)),
  },
  add_ons: {
    resource: "add_on",
    find: async (tx, organizationId, list) => codedOf(await pageOfAddOns(tx, organizationId, list)),
  },
};

/** Newest first. Not counted: a count reads every record that matches. */
const listOf = (term: string): ListRequest => ({
  page: { number: 1, size: FOUND_MAX, offset: 0 },
  sort: { name: "created_at", isDescending: true },
  after: undefined,
  isUncounted: true,
  created: { from: undefined, before: undefined },
  searchTerm: term,
  filters: {},
});

export async function findRecords(
  tx: Tx,
  organizationId: string,
  { term, mayRead }: { term: string; mayRead: (resource: string) => boolean },
): Promise<Results> {
  const results: Results = {};
  for (const [name, { resource, find }] of Object.entries(KINDS))
    if (mayRead(resource)) results[name as keyof Results] = await find(tx, organizationId, listOf(term));
  return results;
}
