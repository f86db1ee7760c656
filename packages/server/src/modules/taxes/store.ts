/** All SQL on taxes. A deleted tax stays for the invoices that show it, and applies to nothing. */
import { type Insertable, sql } from "kysely";
import { pageOf } from "../../http/page-of.ts";
import type { Page, PageOf } from "../../http/pagination.ts";
import type { Tx } from "../../platform/postgres/database.ts";
import type { DB } from "../../platform/postgres/schema.ts";
import type { TaxRow } from "./schema.ts";

const live = (tx: Tx, organizationId: string) =>
  tx
    .selectFrom("taxes")
    .selectAll("taxes")
    .where("taxes.organization_id", "=", organizationId)
    .where("taxes.deleted_at", "is", null);

export const findTax = (tx: Tx, organizationId: string, code: string): Promise<TaxRow | undefined> =>
  live(tx, organizationId).where("code", "=", code).executeTakeFirst();

export const findTaxes = (tx: Tx, organizationId: string, codes: readonly string[]): Promise<TaxRow[]> =>
  live(tx, organizationId).where("code", "=", sql<string>`any(${codes}::text[])`).orderBy("created_at").execute();

export const findDefaultTaxes = (tx: Tx, organizationId: string): Promise<TaxRow[]> =>
  live(tx, organizationId).where("applied_to_organization", "=", true).orderBy("created_at").execute();

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

/** For each tax, the customers that have it themselves. Read from one index: a deleted customer has no taxes. */
export const countOwnCustomers = (tx: Tx, organizationId: string, taxIds: readonly string[]) =>
  tx
    .selectFrom("customer_taxes")
    .select(["tax_id", (count) => count.fn.countAll<bigint>().as("customers")])
    .where("organization_id", "=", organizationId)
    .where("tax_id", "=", sql<string>`any(${taxIds}::uuid[])`)
    .groupBy("tax_id")
    .execute();

/**
 * The customers that have no tax of their own, to whom the defaults of the organization apply. Customers are numbered
 * without gap, so the last number counts them, and only the deleted and the taxed ones must be looked at.
 */
export async function countCustomersWithoutTax(tx: Tx, organizationId: string): Promise<number> {
  const { rows } = await sql<{ total: bigint }>`
    select coalesce(max(sequential_id), 0)
      - (select count(*) from customers where organization_id = ${organizationId} and deleted_at is not null)
      - (select count(distinct customer_id) from customer_taxes
          join taxes on taxes.organization_id = customer_taxes.organization_id and taxes.id = customer_taxes.tax_id
          where customer_taxes.organization_id = ${organizationId} and taxes.deleted_at is null) as total
    from customers where organization_id = ${organizationId}`.execute(tx);
  return Number(rows[0]?.total ?? 0);
}
