/** All SQL on taxes. A deleted tax stays for the invoices that show it, and applies to nothing. */
import { type Insertable, sql } from "kysely";
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

export async function pageOfTaxes(tx: Tx, organizationId: string, page: Page): Promise<PageOf<TaxRow>> {
  const rows = await live(tx, organizationId)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(page.size)
    .offset(page.offset)
    .execute();
  const { total } = await tx
    .selectFrom("taxes")
    .select((count) => count.fn.countAll<bigint>().as("total"))
    .where("organization_id", "=", organizationId)
    .where("deleted_at", "is", null)
    .executeTakeFirstOrThrow();
  return { rows, total: Number(total) };
}

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

/** For each tax, the customers that have it themselves. */
export const countOwnCustomers = (tx: Tx, organizationId: string, taxIds: readonly string[]) =>
  tx
    .selectFrom("customer_taxes")
    .innerJoin("customers", (join) =>
      join
        .onRef("customers.organization_id", "=", "customer_taxes.organization_id")
        .onRef("customers.id", "=", "customer_taxes.customer_id")
        .on("customers.deleted_at", "is", null),
    )
    .select(["customer_taxes.tax_id", (count) => count.fn.countAll<bigint>().as("customers")])
    .where("customer_taxes.organization_id", "=", organizationId)
    .where("customer_taxes.tax_id", "=", sql<string>`any(${taxIds}::uuid[])`)
    .groupBy("customer_taxes.tax_id")
    .execute();

/** The customers that have no tax of their own, to whom the defaults of the organization apply. */
export async function countCustomersWithoutTax(tx: Tx, organizationId: string): Promise<number> {
  const { total } = await tx
    .selectFrom("customers")
    .select((count) => count.fn.countAll<bigint>().as("total"))
    .where("customers.organization_id", "=", organizationId)
    .where("customers.deleted_at", "is", null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("customer_taxes")
            .innerJoin("taxes", (join) =>
              join
                .onRef("taxes.organization_id", "=", "customer_taxes.organization_id")
                .onRef("taxes.id", "=", "customer_taxes.tax_id")
                .on("taxes.deleted_at", "is", null),
            )
            .select("customer_taxes.tax_id")
            .whereRef("customer_taxes.organization_id", "=", "customers.organization_id")
            .whereRef("customer_taxes.customer_id", "=", "customers.id"),
        ),
      ),
    )
    .executeTakeFirstOrThrow();
  return Number(total);
}
