/** Which plan version prices a bill, and what reprices bills. */
import { type RawBuilder, sql } from "kysely";
import { batched } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import type { PlanVersion } from "../../catalogue/index.ts";

/** A subscription, its clock, and the instant of the bill. `at` null: now, by a request. */
export type Occasion = { subscriptionId: string; testClockId: string | null; at: Temporal.Instant | null };

/** `version` for the ended period, `openingVersion` for the new one. */
export type Prices = PlanVersion & { openingVersion: number };

/** The ended period uses the last version in force before the occasion, the new period the last one in force at it. */
export const findPrices = batched<Occasion, Prices>(async (tx, organizationId, all) => {
  const isOut = sql`${forceOf} >= occasion.at`;
  const { rows } = await sql<Prices>`
    select closing.plan_id as "planId", closing.version, greatest(closing.version, opening.version) as "openingVersion"
    from unnest(${all.map(({ subscriptionId }) => subscriptionId)}::uuid[], ${all.map(({ testClockId }) => testClockId)}::uuid[],
      ${all.map(({ at }) => at)}::timestamptz[]
    ) with ordinality as occasion (subscription_id, test_clock_id, at, number)
    join subscriptions as subscription on subscription.organization_id = ${organizationId}
      and subscription.id = occasion.subscription_id
    cross join lateral ${lastVersion(organizationId, isOut)} as closing
    cross join lateral (
      select max(version.version) as version from plan_versions as version
      where version.organization_id = ${organizationId} and version.plan_id = closing.plan_id
        and (${forceOf} > occasion.at) is not true
    ) as opening
    order by occasion.number`.execute(tx);
  if (rows.length !== all.length) throw new Error("a subscription has a plan, and that has a version");
  return rows;
});

/** A plan change, written at a real instant. */
export type Change = {
  subscriptionId: string;
  testClockId: string | null;
  at: Temporal.Instant;
  madeBy: Temporal.Instant;
};

/** The version that a successor started with. Later edits do not count, even at the same instant of a test clock. */
export const findFirstPrices = batched<Change, PlanVersion>(async (tx, organizationId, all) => {
  const isOut = sql`(${forceOf} > occasion.at) is true or version.made_at > occasion.made_by`;
  const { rows } = await sql<PlanVersion>`
    select first.plan_id as "planId", first.version
    from unnest(${all.map(({ subscriptionId }) => subscriptionId)}::uuid[], ${all.map(({ testClockId }) => testClockId)}::uuid[],
      ${all.map(({ at }) => at)}::timestamptz[], ${all.map(({ madeBy }) => madeBy)}::timestamptz[]
    ) with ordinality as occasion (subscription_id, test_clock_id, at, made_by, number)
    join subscriptions as subscription on subscription.organization_id = ${organizationId}
      and subscription.id = occasion.subscription_id
    cross join lateral ${lastVersion(organizationId, isOut)} as first
    order by occasion.number`.execute(tx);
  if (rows.length !== all.length) throw new Error("a subscription has a plan, and that has a version");
  return rows;
});

/** Since when a version is in force on the clock of the occasion; null: for everything billed on it. */
const forceOf = sql`case when occasion.test_clock_id is null then coalesce(version.made_at, version.created_at) else (
  select in_force_at from plan_version_clocks as stood
  where stood.organization_id = version.organization_id and stood.plan_id = version.plan_id and stood.version = version.version
    and stood.test_clock_id = occasion.test_clock_id
) end`;

/**
 * The last version of the subscription's plan that is not excluded. If the plan was created for the subscription later, of its parent
 * plan. If all are excluded, the first version.
 */
const lastVersion = (organizationId: string, isOut: RawBuilder<unknown>) => sql`(
  select version.plan_id, version.version
  from plans as own
  join plan_versions as version on version.organization_id = ${organizationId}
    and version.plan_id in (own.id, own.parent_id)
  cross join lateral (select (${isOut}) is not true as is_true) as in_force
  where own.organization_id = ${organizationId} and own.id = subscription.plan_id
  order by in_force.is_true desc, version.plan_id = own.id desc,
    case when in_force.is_true then version.version else -version.version end desc
  limit 1
)`;

/** All bills priced by a plan, or those of one subscription. */
export type RepricedBills = { planId: string } | { subscriptionId: string };

/**
 * Sets the newest version on bills of invoices that are not finalized: of their plan, or of the subscription's current plan.
 * Locks the invoices first, so that none is finalized meanwhile with its old price.
 */
export async function repriceBills(
  tx: Tx,
  organizationId: string,
  of: RepricedBills,
  now: Temporal.Instant,
): Promise<void> {
  const isMeant =
    "planId" in of
      ? sql<boolean>`coalesce(link.priced_plan_id, subscription.plan_id) = ${of.planId}`
      : sql<boolean>`subscription.id = ${of.subscriptionId}`;
  const planId = "planId" in of ? sql`${of.planId}::uuid` : sql`subscription.plan_id`;
  await sql`
    with open as (
      select id from invoices as invoice
      where organization_id = ${organizationId} and status in ('generating', 'draft') and exists (
        select from invoice_bills as link
        join subscriptions as subscription on subscription.organization_id = ${organizationId}
          and subscription.id = link.subscription_id
        where link.organization_id = ${organizationId} and link.invoice_id = invoice.id and ${isMeant}
      )
      order by id for no key update
    )
    update invoice_bills as link
    set priced_plan_id = plan.id, priced_version = plan.version, opening_version = plan.version, repriced_at = ${now}::timestamptz
    from open, subscriptions as subscription, plans as plan
    where link.organization_id = ${organizationId} and link.invoice_id = open.id
      and subscription.organization_id = ${organizationId} and subscription.id = link.subscription_id and ${isMeant}
      and plan.organization_id = ${organizationId} and plan.id = ${planId}`.execute(tx);
}
