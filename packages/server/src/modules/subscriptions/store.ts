/** All SQL on subscriptions, subscription_periods and bills. */

import type { Bill } from "@tallystick/core/subscription";
import type { Period } from "@tallystick/core/time";
import { type Insertable, sql } from "kysely";
import type { ListRequest } from "../../http/list-query.ts";
import { byInstant, pageOf } from "../../http/page-of.ts";
import { anyOf } from "../../platform/postgres/any-of.ts";
import { batchedWrite } from "../../platform/postgres/batch.ts";
import type { Tx } from "../../platform/postgres/database.ts";
import { searchOf } from "../../platform/postgres/find-by-term.ts";
import type { DB } from "../../platform/postgres/schema.ts";
import type { FrameTerms } from "../catalogue/index.ts";
import { idsByExternalId } from "../customers/index.ts";
import { type BillRow, type Neighbors, type StoredSubscription, type SubscriptionRow, toStored } from "./row.ts";
import type { PastScope } from "./scope.ts";

type PeriodKind = "fee" | "charges";

/** With the newest terms of their plans and their open periods, which are the last of each kind. */
const stored = (tx: Tx, organizationId: string) =>
  tx
    .selectFrom("subscriptions")
    .leftJoinLateral(lastPeriod(tx, "fee").as("fee"), (join) => join.onTrue())
    .leftJoinLateral(lastPeriod(tx, "charges").as("charges"), (join) => join.onTrue())
    .selectAll("subscriptions")
    .select([
      // Not joined: with the row policies of every table, planning the join takes longer than reading the rows.
      sql<FrameTerms>`(
        select terms - 'charges' from plan_versions
        where organization_id = subscriptions.organization_id and plan_id = subscriptions.plan_id
        order by version desc limit 1
      )`.as("terms"),
      "fee.starts_at as fee_from",
      "fee.ends_at as fee_to",
      "fee.first_day as fee_first_day",
      "fee.last_day as fee_last_day",
      "charges.starts_at as charges_from",
      "charges.ends_at as charges_to",
      "charges.first_day as charges_first_day",
      "charges.last_day as charges_last_day",
      sql<boolean>`exists (
        select from subscriptions as next
        where next.organization_id = subscriptions.organization_id
          and next.previous_subscription_id = subscriptions.id and next.status = 'pending'
      )`.as("is_replaced"),
    ])
    .where("subscriptions.organization_id", "=", organizationId);

/** The key begins with the organization_id and ends with the start, so this reads one row. */
const lastPeriod = (tx: Tx, kind: PeriodKind) =>
  tx
    .selectFrom("subscription_periods as period")
    .select(["period.starts_at", "period.ends_at", "period.first_day", "period.last_day"])
    .where("period.organization_id", "=", sql.ref<string>("subscriptions.organization_id"))
    .where("period.subscription_id", "=", sql.ref<string>("subscriptions.id"))
    .where("period.kind", "=", kind)
    .orderBy("period.starts_at", "desc")
    .limit(1);

export async function findStored(
  tx: Tx,
  organizationId: string,
  ids: readonly string[],
): Promise<StoredSubscription[]> {
  const rows = await stored(tx, organizationId).where("subscriptions.id", "=", anyOf(ids)).execute();
  return rows.map(toStored);
}

/** The live subscriptions under the external id, of any customer: the active one first, then the pending one. */
export async function findLive(tx: Tx, organizationId: string, externalId: string): Promise<StoredSubscription[]> {
  const rows = await stored(tx, organizationId)
    .where("subscriptions.external_id", "=", externalId)
    .where("subscriptions.status", "in", ["active", "pending"])
    .orderBy("subscriptions.status")
    .execute();
  return rows.map(toStored);
}

/** The downgrade that waits to replace an active subscription. */
export async function findDowngrade(
  tx: Tx,
  organizationId: string,
  activeId: string,
): Promise<StoredSubscription | undefined> {
  const row = await stored(tx, organizationId)
    .where("subscriptions.previous_subscription_id", "=", activeId)
    .where("subscriptions.status", "=", "pending")
    .executeTakeFirst();
  return row && toStored(row);
}

/** All live subscriptions of a customer: active ones first, so that each ends with the one that waits for it. */
export async function findLiveOfCustomer(
  tx: Tx,
  organizationId: string,
  customerId: string,
): Promise<StoredSubscription[]> {
  const rows = await stored(tx, organizationId)
    .where("subscriptions.customer_id", "=", customerId)
    .where("subscriptions.status", "in", ["active", "pending"])
    .orderBy("subscriptions.status")
    .orderBy("subscriptions.id")
    .execute();
  return rows.map(toStored);
}

/** The newest with that status. */
export const findByExternalId = (
  tx: Tx,
  organizationId: string,
  { externalId, status }: { externalId: string; status: SubscriptionRow["status"] },
): Promise<SubscriptionRow | undefined> =>
  tx
    .selectFrom("subscriptions")
    .selectAll()
    .where("organization_id", "=", organizationId)
    .where("external_id", "=", externalId)
    .where("status", "=", status)
    .orderBy("terminated_at", "desc")
    .orderBy("started_at", "desc")
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();

/** The ended subscriptions under an external id: those of the customer, and those of other customers that ended by `now`. */
export async function findPast(tx: Tx, { organizationId, customer, now }: PastScope, externalId: string) {
  const { rows } = await sql<{ firstStartedAt: Temporal.Instant | null; billedUntil: Temporal.Instant | null }>`
    select min(first_started_at) filter (where customer_id = ${customer.id}) as "firstStartedAt", max(terminated_at) as "billedUntil"
    from subscriptions
    where organization_id = ${organizationId} and external_id = ${externalId} and status = 'terminated'
      and (customer_id = ${customer.id} or terminated_at <= ${now}::timestamptz)`.execute(tx);
  return rows[0];
}

const SEARCHED = ["name", "external_id"];

/**
 * Subscriptions that have not begun come last, in the order of creation. Indexes: subscriptions_list for the default order,
 * subscriptions_created, and subscriptions_customer, subscriptions_plan, subscriptions_external for one customer, plan or external
 * id; subscriptions_parts for a search.
 */
export async function pageOfSubscriptions(
  tx: Tx,
  organizationId: string,
  list: ListRequest<"status" | "external_customer_id" | "plan_code">,
) {
  const { status = ["active"], external_customer_id: [externalId] = [], plan_code: [planCode] = [] } = list.filters;
  let query = tx.selectFrom("subscriptions").selectAll("subscriptions").where("organization_id", "=", organizationId);
  if (externalId !== undefined)
    query = query.where("customer_id", "in", idsByExternalId(organizationId, externalId, { deleted: "left_out" }));
  if (planCode !== undefined)
    query = query.where("plan_id", "in", (from) =>
      from
        .selectFrom("plans")
        .select("plans.id")
        .where("plans.organization_id", "=", organizationId)
        .where("plans.code", "=", planCode),
    );
  const hasNotBegun = status.some((one) => one === "pending" || one === "canceled");
  return pageOf(
    query,
    { ...list, filters: { ...list.filters, status } },
    {
      sorts: {
        started_at: [{ ...byInstant("started_at"), isNullable: hasNotBegun }],
        created_at: [byInstant("created_at")],
      },
      filters: { status: "status", external_id: "external_id" },
      ...(await searchOf(tx, organizationId, { kind: "subscriptions", term: list.searchTerm, columns: SEARCHED })),
    },
  );
}

/** The subscription that was active under an external id at a moment: from its start, up to but not including its end. */
export async function findLivingAt(
  tx: Tx,
  organizationId: string,
  moments: readonly { externalId: string; at: Temporal.Instant }[],
): Promise<{ number: number; id: string; customer_id: string }[]> {
  const { rows } = await sql<{ number: number; id: string; customer_id: string }>`
    select (moment.number - 1)::integer as number, living.id, living.customer_id
    from unnest(${moments.map(({ externalId }) => externalId)}::text[], ${moments.map(({ at }) => at)}::timestamptz[])
      with ordinality as moment (external_id, at, number)
    cross join lateral (
      select id, customer_id from subscriptions
      where organization_id = ${organizationId} and external_id = moment.external_id and started_at <= moment.at
        and (terminated_at is null or terminated_at > moment.at)
      order by started_at desc limit 1
    ) as living`.execute(tx);
  return rows;
}

/** The stored charges period that contains an instant. */
export async function findChargesPeriod(
  tx: Tx,
  organizationId: string,
  { subscriptionId, at }: { subscriptionId: string; at: Temporal.Instant },
): Promise<Period | undefined> {
  const row = await tx
    .selectFrom("subscription_periods")
    .select(["starts_at", "ends_at", "first_day", "last_day"])
    .where("organization_id", "=", organizationId)
    .where("subscription_id", "=", subscriptionId)
    .where("kind", "=", "charges")
    .where("starts_at", "<=", at)
    .where("ends_at", ">", at)
    // Backward from the last one; otherwise all periods before it would be read.
    .orderBy("starts_at", "desc")
    .limit(1)
    .executeTakeFirst();
  return row && { from: row.starts_at, to: row.ends_at, firstDay: row.first_day, lastDay: row.last_day };
}

/** Looked up one by one: a join of so many tables takes longer to plan than to run, and may be planned as full scans. */
export async function findNeighbors(tx: Tx, organizationId: string, ids: readonly string[]): Promise<Neighbors[]> {
  const { rows } = await sql<Neighbors>`
    select id,
      (select external_id from customers where organization_id = own.organization_id and id = own.customer_id) as external_customer_id,
      (select code from plans where organization_id = own.organization_id and id = own.plan_id) as plan_code,
      (version.terms ->> 'amount_cents')::bigint as plan_amount_cents, version.terms ->> 'amount_currency' as plan_amount_currency,
      (version.terms ->> 'pay_in_advance')::boolean as plan_is_in_advance,
      (select code from plans where organization_id = own.organization_id and id = (
        select plan_id from subscriptions where organization_id = own.organization_id and id = own.previous_subscription_id
      )) as previous_plan_code,
      (select code from plans where organization_id = own.organization_id and id = next.plan_id) as next_plan_code,
      case when next.status = 'pending' then next.takes_over_on end as downgrade_on, period.starts_at as period_from, period.ends_at as period_to
    from subscriptions as own
    join lateral (
      select terms from plan_versions where organization_id = own.organization_id and plan_id = own.plan_id
      order by version desc limit 1
    ) as version on true
    left join lateral (
      select plan_id, status, takes_over_on from subscriptions
      where organization_id = own.organization_id and previous_subscription_id = own.id and status <> 'canceled'
    ) as next on true
    left join lateral (
      select starts_at, ends_at from subscription_periods
      where organization_id = own.organization_id and subscription_id = own.id and kind = 'charges'
      order by starts_at desc limit 1
    ) as period on true
    where organization_id = ${organizationId} and id = any(${ids}::uuid[])`.execute(tx);
  return rows;
}

/** The plan itself, and the plans derived from it for one subscription. */
export async function findPlanFamily(tx: Tx, organizationId: string, planId: string): Promise<string[]> {
  const rows = await planFamily(tx, organizationId, planId).execute();
  return rows.map(({ id }) => id);
}

const planFamily = (tx: Tx, organizationId: string, planId: string) =>
  tx
    .selectFrom("plans")
    .select("plans.id")
    .where("plans.organization_id", "=", organizationId)
    .where((or) => or.or([or("plans.id", "=", planId), or("plans.parent_id", "=", planId)]));

type AfterId = { after: string; limit: number };

/** Customers with a live subscription to the plan or to a plan derived from it, by id. */
export async function findCustomersOfPlan(
  tx: Tx,
  organizationId: string,
  planId: string,
  { after, limit }: AfterId,
): Promise<string[]> {
  const rows = await tx
    .selectFrom("subscriptions")
    .select("customer_id")
    .distinct()
    .where("organization_id", "=", organizationId)
    .where("plan_id", "in", planFamily(tx, organizationId, planId))
    .where("status", "in", ["active", "pending"])
    .where("customer_id", ">", after)
    .orderBy("customer_id")
    .limit(limit)
    .execute();
  return rows.map(({ customer_id }) => customer_id);
}

/** Customers without a zone of their own whose subscriptions are not in the organization's zone, by id. */
export async function findCustomersInOtherZone(
  tx: Tx,
  organizationId: string,
  { after, limit }: AfterId,
): Promise<string[]> {
  const rows = await tx
    .selectFrom("subscriptions")
    .innerJoin("customers", (join) =>
      join
        .onRef("customers.organization_id", "=", "subscriptions.organization_id")
        .onRef("customers.id", "=", "subscriptions.customer_id"),
    )
    .innerJoin("organizations", "organizations.id", "subscriptions.organization_id")
    .select("subscriptions.customer_id")
    .distinct()
    .where("subscriptions.organization_id", "=", organizationId)
    .where("subscriptions.status", "in", ["active", "pending"])
    .where("customers.timezone", "is", null)
    .whereRef("subscriptions.time_zone", "!=", "organizations.timezone")
    .where("subscriptions.customer_id", ">", after)
    .orderBy("subscriptions.customer_id")
    .limit(limit)
    .execute();
  return rows.map(({ customer_id }) => customer_id);
}

export async function insertSubscription(
  tx: Tx,
  organizationId: string,
  row: Omit<Insertable<DB["subscriptions"]>, "organization_id">,
): Promise<void> {
  await tx
    .insertInto("subscriptions")
    .values({ ...row, organization_id: organizationId })
    .execute();
}

export async function updateSubscription(
  tx: Tx,
  organizationId: string,
  id: string,
  changes: Partial<SubscriptionRow>,
): Promise<void> {
  await tx
    .updateTable("subscriptions")
    .set(changes)
    .where("organization_id", "=", organizationId)
    .where("id", "=", id)
    .execute();
}

type NewPeriod = { subscriptionId: string; kind: PeriodKind; period: Period; now: Temporal.Instant };

export const insertPeriods = batchedWrite<NewPeriod>(async (tx, organizationId, periods) => {
  const rows = periods.map(({ subscriptionId, kind, period, now }) => ({
    organization_id: organizationId,
    subscription_id: subscriptionId,
    kind,
    starts_at: period.from,
    ends_at: period.to,
    first_day: period.firstDay,
    last_day: period.lastDay,
    created_at: now,
  }));
  await tx.insertInto("subscription_periods").values(rows).execute();
});

type NewBill = Omit<
  Insertable<DB["bills"]>,
  "organization_id" | "reason" | "windows" | "fee_from" | "fee_to" | "charges_from" | "charges_to"
>;

export const insertBills = batchedWrite<NewBill & { bill: Bill }>(async (tx, organizationId, bills) => {
  const rows = bills.map(({ bill: { reason, ...windows }, ...columns }) => ({
    ...columns,
    organization_id: organizationId,
    reason,
    fee_from: windows.fee?.from ?? null,
    fee_to: windows.fee?.to ?? null,
    charges_from: windows.charges?.from ?? null,
    charges_to: windows.charges?.to ?? null,
    windows: JSON.stringify(windows),
  }));
  await tx.insertInto("bills").values(rows).execute();
});

export async function findBills(tx: Tx, organizationId: string, ids: readonly string[]): Promise<BillRow[]> {
  const { rows } = await sql<BillRow>`
    select bill.id, bill.subscription_id, bill.reason, bill.windows, bill.occurred_at, bill.created_at,
      subscription.external_id, subscription.plan_id, subscription.first_started_at, next.id as successor_id,
      next.plan_id as successor_plan_id, customer.test_clock_id, exists (select from plans
        where organization_id = bill.organization_id and id in (plan.id, plan.parent_id) and deleted_at is not null) as is_plan_deleted
    from bills as bill
    join subscriptions as subscription on (subscription.organization_id, subscription.id)
      = (bill.organization_id, bill.subscription_id)
    join customers as customer on (customer.organization_id, customer.id) = (bill.organization_id, bill.customer_id)
    join plans as plan on (plan.organization_id, plan.id) = (bill.organization_id, subscription.plan_id)
    left join lateral (select id, plan_id from subscriptions
      where organization_id = subscription.organization_id and previous_subscription_id = subscription.id
        and origin = 'upgrade' limit 1
    ) as next on subscription.end_cause = 'upgraded'
    where bill.organization_id = ${organizationId} and bill.id = any(${ids}::uuid[])
    order by subscription.id`.execute(tx);
  return rows;
}

export const findSubscriptionsById = (
  tx: Tx,
  organizationId: string,
  ids: readonly string[],
): Promise<SubscriptionRow[]> =>
  tx
    .selectFrom("subscriptions")
    .selectAll()
    .where("organization_id", "=", organizationId)
    .where("id", "=", anyOf(ids))
    .orderBy("id")
    .execute();
