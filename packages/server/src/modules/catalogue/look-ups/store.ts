/**
 * Who uses the catalog: counts that its objects show, and the test clocks of subscribers. This is the one place of the catalog that
 * reads tables of the capabilities above it, and it writes nothing.
 */

import { sql } from "kysely";
import { anyOf } from "../../../platform/postgres/any-of.ts";
import type { Tx } from "../../../platform/postgres/database.ts";

/** Active subscriptions to a plan with a charge on the metric, of each metric that has some. */
export const countSubscriptionsOfMetrics = (tx: Tx, organizationId: string, metricIds: readonly string[]) =>
  tx
    .selectFrom("charges")
    .innerJoin("subscriptions", (join) =>
      join
        .onRef("subscriptions.organization_id", "=", "charges.organization_id")
        .onRef("subscriptions.plan_id", "=", "charges.plan_id")
        .on("subscriptions.status", "=", "active"),
    )
    .select([
      "charges.billable_metric_id",
      (count) => count.fn.count<bigint>("subscriptions.id").distinct().as("subscriptions"),
    ])
    .where("charges.organization_id", "=", organizationId)
    .where("charges.billable_metric_id", "=", anyOf(metricIds))
    .where("charges.deleted_at", "is", null)
    .groupBy("charges.billable_metric_id")
    .execute();

/** Drafts of subscriptions to plans that price it. There are few, whatever the number of subscriptions. */
export async function countDraftsOfMetrics(tx: Tx, organizationId: string, metricIds: readonly string[]) {
  const { rows } = await sql<{ billable_metric_id: string; drafts: bigint }>`
    select charges.billable_metric_id, count(distinct invoices.id) as drafts
    from invoices
    join invoice_bills on invoice_bills.organization_id = invoices.organization_id and invoice_bills.invoice_id = invoices.id
    join subscriptions on subscriptions.organization_id = invoices.organization_id and subscriptions.id = invoice_bills.subscription_id
    join charges on charges.organization_id = invoices.organization_id and charges.plan_id = subscriptions.plan_id
    where invoices.organization_id = ${organizationId} and invoices.status = 'draft'
      and charges.billable_metric_id = any(${metricIds}::uuid[]) and charges.deleted_at is null
    group by charges.billable_metric_id`.execute(tx);
  return rows;
}

/** Whether anybody ever subscribed to the plan, or to one that was made from it. */
export async function hasSubscriptions(tx: Tx, organizationId: string, planId: string): Promise<boolean> {
  const row = await tx
    .selectFrom("subscriptions")
    .innerJoin("plans", (join) =>
      join
        .onRef("plans.organization_id", "=", "subscriptions.organization_id")
        .onRef("plans.id", "=", "subscriptions.plan_id"),
    )
    .select("subscriptions.id")
    .where("subscriptions.organization_id", "=", organizationId)
    .where((or) => or.or([or("plans.id", "=", planId), or("plans.parent_id", "=", planId)]))
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Active subscriptions of each plan, and to plans made from it, and how many customers have them. */
export const countSubscriptionsOfPlans = (tx: Tx, organizationId: string, planIds: readonly string[]) =>
  sql<{ plan_id: string; subscriptions: bigint; customers: bigint }>`
    select given.id as plan_id, count(*) as subscriptions, count(distinct customer_id) as customers
    from subscriptions join plans on plans.organization_id = subscriptions.organization_id and plans.id = plan_id
    join unnest(${planIds}::uuid[]) as given (id) on given.id = plans.id or given.id = plans.parent_id
    where subscriptions.organization_id = ${organizationId} and subscriptions.status = 'active'
    group by given.id`.execute(tx);

/** Drafts of subscriptions to each plan, and to plans made from it. There are few, whatever the number of subscriptions. */
export const countDraftsOfPlans = (tx: Tx, organizationId: string, planIds: readonly string[]) =>
  sql<{ plan_id: string; drafts: bigint }>`
    select given.id as plan_id, count(distinct invoices.id) as drafts
    from invoices join invoice_bills using (organization_id)
    join subscriptions on subscriptions.organization_id = invoices.organization_id and subscriptions.id = subscription_id
    join plans on plans.organization_id = invoices.organization_id and plans.id = plan_id
    join unnest(${planIds}::uuid[]) as given (id) on given.id = plans.id or given.id = plans.parent_id
    where invoices.organization_id = ${organizationId} and invoices.status = 'draft' and invoice_id = invoices.id
    group by given.id`.execute(tx);

/**
 * For each tax, how many things of each kind have it themselves. Customers are read from one index: a deleted customer has
 * no taxes. Of plans, and of what is in them, those count that are listed, not the plan of one subscription.
 */
export async function countUsesOfTaxes(tx: Tx, organizationId: string, taxIds: readonly string[]) {
  const isRequested = sql`link.organization_id = ${organizationId} and link.tax_id = any(${taxIds}::uuid[])`;
  const inListedPlan = sql`plans.deleted_at is null and plans.parent_id is null`;
  const { rows } = await sql<{
    tax_id: string;
    kind: "addOns" | "charges" | "commitments" | "customers" | "plans";
    uses: bigint;
  }>`
    select tax_id, 'customers' as kind, count(*) as uses from customer_taxes link where ${isRequested} group by tax_id
    union all
    select tax_id, 'plans', count(*) from plan_taxes link
      join plans on plans.organization_id = link.organization_id and plans.id = link.plan_id and ${inListedPlan}
      where ${isRequested} group by tax_id
    union all
    select tax_id, 'charges', count(*) from charge_taxes link
      join charges on charges.organization_id = link.organization_id and charges.id = link.charge_id
        and charges.deleted_at is null
      join plans on plans.organization_id = link.organization_id and plans.id = charges.plan_id and ${inListedPlan}
      where ${isRequested} group by tax_id
    union all
    select tax_id, 'commitments', count(*) from commitment_taxes link
      join minimum_commitments held on held.organization_id = link.organization_id and held.id = link.commitment_id
        and held.deleted_at is null
      join plans on plans.organization_id = link.organization_id and plans.id = held.plan_id and ${inListedPlan}
      where ${isRequested} group by tax_id
    union all
    select tax_id, 'addOns', count(*) from add_on_taxes link
      join add_ons on add_ons.organization_id = link.organization_id and add_ons.id = link.add_on_id
        and add_ons.deleted_at is null
      where ${isRequested} group by tax_id`.execute(tx);
  return rows;
}

/**
 * The customers that have no tax of their own, to whom the defaults of the organization apply. Customers are numbered
 * without gap, so the last number counts them, and only the deleted and the taxed ones must be looked at.
 */
export async function countCustomersWithoutTax(tx: Tx, organizationId: string): Promise<number> {
  const { rows } = await sql<{ total: bigint }>`
    select coalesce(max(sequential_id), 0)
      - (select count(*) from customers where organization_id = ${organizationId} and deleted_at is not null)
      - (select count(distinct customer_id) from customer_taxes where organization_id = ${organizationId}) as total
    from customers where organization_id = ${organizationId}`.execute(tx);
  return Number(rows[0]?.total ?? 0);
}

/**
 * Where the test clocks of the subscribers of each plan stand. The clocks are held, so that none of them moves before the transaction
 * ends. Whoever moves a clock waits for no plan.
 */
export async function holdClocksOfSubscribers(
  tx: Tx,
  organizationId: string,
  planIds: readonly string[],
): Promise<{ planId: string; testClockId: string; now: Temporal.Instant }[]> {
  const { rows: locked } = await sql`
    select id from test_clocks
    where organization_id = ${organizationId} and id in (
      select customer.test_clock_id from subscriptions as subscription
      join customers as customer on customer.organization_id = ${organizationId} and customer.id = subscription.customer_id
      where subscription.organization_id = ${organizationId} and subscription.plan_id = any(${planIds}::uuid[])
        and subscription.status in ('active', 'pending') and customer.test_clock_id is not null
    )
    order by id for share`.execute(tx);
  if (locked.length === 0) return [];
  const { rows } = await sql<{ planId: string; testClockId: string; now: Temporal.Instant }>`
    select distinct subscription.plan_id as "planId", test_clock.id as "testClockId", test_clock.now
    from subscriptions as subscription
    join customers as customer on customer.organization_id = ${organizationId} and customer.id = subscription.customer_id
    join test_clocks as test_clock on test_clock.organization_id = ${organizationId} and test_clock.id = customer.test_clock_id
    where subscription.organization_id = ${organizationId} and subscription.plan_id = any(${planIds}::uuid[])
      and subscription.status in ('active', 'pending')`.execute(tx);
  return rows;
}
