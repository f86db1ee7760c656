/** All SQL on taxes. A deleted tax stays for the invoices that show it, and applies to nothing. */
import { type Insertable, sql } from "kysely";
import { pageOf } from "../../../http/page-of.ts";
import type { Page, PageOf } from "../../../http/pagination.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { rowsTogether, together } from "../../../platform/postgres/in-step.ts";
import type { DB } from "../../../platform/postgres/schema.ts";
import type { TaxRow, TaxUses } from "./schema.ts";

const live = (tx: Tx, organizationId: string) =>
  tx
    .selectFrom("taxes")
    .selectAll("taxes")
    .where("taxes.organization_id", "=", organizationId)
    .where("taxes.deleted_at", "is", null);

export const findTax = (tx: Tx, organizationId: string, code: string): Promise<TaxRow | undefined> =>
  live(tx, organizationId).where("code", "=", code).executeTakeFirst();

export const lockTax = (tx: Tx, organizationId: string, code: string): Promise<TaxRow | undefined> =>
  live(tx, organizationId).where("code", "=", code).forUpdate().executeTakeFirst();

/** To put them on something: until that is done they cannot be deleted, so that nothing ever has a deleted tax. */
export const findTaxes = (tx: Tx, organizationId: string, codes: readonly string[]): Promise<TaxRow[]> =>
  live(tx, organizationId)
    .where("code", "=", sql<string>`any(${codes}::text[])`)
    .orderBy("created_at")
    .forKeyShare()
    .execute();

export const findDefaultTaxes = (tx: Tx, organizationId: string): Promise<TaxRow[]> =>
  findDefaultsOnce(tx, organizationId, undefined);

const findDefaultsOnce = together<undefined, TaxRow[]>(async (tx, organizationId, all) => {
  const rows = await live(tx, organizationId)
    .where("applied_to_organization", "=", true)
    .orderBy("created_at")
    .execute();
  return all.map(() => rows);
});

/** The oldest with this rate. */
export const findTaxOfRate = (tx: Tx, organizationId: string, rate: TaxRow["rate"]): Promise<TaxRow | undefined> =>
  live(tx, organizationId).where("rate", "=", rate).orderBy("created_at").orderBy("id").limit(1).executeTakeFirst();

/** Live ones only. */
export const findTaxesById = rowsTogether<TaxRow>(
  (tx, organizationId, ids) =>
    live(tx, organizationId).where("id", "=", sql<string>`any(${ids}::uuid[])`).orderBy("created_at").execute(),
  ({ id }) => id,
);

export const pageOfTaxes = (tx: Tx, organizationId: string, page: Page): Promise<PageOf<TaxRow>> =>
  pageOf(live(tx, organizationId), page);

export const insertTax = (
  tx: Tx,
  organizationId: string,
  tax: Omit<Insertable<DB["taxes"]>, "organization_id">,
): Promise<TaxRow> =>
  tx
    .insertInto("taxes")
    .values({ ...tax, organization_id: organizationId })
    .returningAll()
    .executeTakeFirstOrThrow();

export const updateTax = (
  tx: Tx,
  organizationId: string,
  code: string,
  changes: Partial<TaxRow>,
): Promise<TaxRow | undefined> =>
  tx
    .updateTable("taxes")
    .set(changes)
    .where("organization_id", "=", organizationId)
    .where("code", "=", code)
    .where("deleted_at", "is", null)
    .returningAll()
    .executeTakeFirst();

/** Takes a tax off everything that it is on. */
export async function removeFromEverything(tx: Tx, organizationId: string, taxId: string): Promise<void> {
  await sql`
    with
      customers as (delete from customer_taxes where organization_id = ${organizationId} and tax_id = ${taxId}),
      plans as (delete from plan_taxes where organization_id = ${organizationId} and tax_id = ${taxId}),
      charges as (delete from charge_taxes where organization_id = ${organizationId} and tax_id = ${taxId}),
      commitments as (delete from commitment_taxes where organization_id = ${organizationId} and tax_id = ${taxId})
    delete from add_on_taxes where organization_id = ${organizationId} and tax_id = ${taxId}`.execute(tx);
}

/**
 * For each tax, how many things of each kind have it themselves. Customers are read from one index: a deleted customer has
 * no taxes. Of plans, and of what is in them, those count that are listed, not the plan of one subscription.
 */
export async function countOwn(tx: Tx, organizationId: string, taxIds: readonly string[]) {
  const isWanted = sql`link.organization_id = ${organizationId} and link.tax_id = any(${taxIds}::uuid[])`;
  const inListedPlan = sql`plans.deleted_at is null and plans.parent_id is null`;
  const { rows } = await sql<{ tax_id: string; kind: keyof TaxUses; uses: bigint }>`
    select tax_id, 'customers' as kind, count(*) as uses from customer_taxes link where ${isWanted} group by tax_id
    union all
    select tax_id, 'plans', count(*) from plan_taxes link
      join plans on plans.organization_id = link.organization_id and plans.id = link.plan_id and ${inListedPlan}
      where ${isWanted} group by tax_id
    union all
    select tax_id, 'charges', count(*) from charge_taxes link
      join charges on charges.organization_id = link.organization_id and charges.id = link.charge_id
        and charges.deleted_at is null
      join plans on plans.organization_id = link.organization_id and plans.id = charges.plan_id and ${inListedPlan}
      where ${isWanted} group by tax_id
    union all
    select tax_id, 'commitments', count(*) from commitment_taxes link
      join minimum_commitments held on held.organization_id = link.organization_id and held.id = link.commitment_id
        and held.deleted_at is null
      join plans on plans.organization_id = link.organization_id and plans.id = held.plan_id and ${inListedPlan}
      where ${isWanted} group by tax_id
    union all
    select tax_id, 'addOns', count(*) from add_on_taxes link
      join add_ons on add_ons.organization_id = link.organization_id and add_ons.id = link.add_on_id
        and add_ons.deleted_at is null
      where ${isWanted} group by tax_id`.execute(tx);
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

/** The plans that have no tax of their own, to which the defaults of the organization apply. */
export async function countPlansWithoutTax(tx: Tx, organizationId: string): Promise<number> {
  const { rows } = await sql<{ total: bigint }>`
    select count(*) as total from plans
    where organization_id = ${organizationId} and deleted_at is null and parent_id is null
      and not exists (
        select from plan_taxes where plan_taxes.organization_id = plans.organization_id and plan_id = plans.id
      )`.execute(tx);
  return Number(rows[0]?.total ?? 0);
}
