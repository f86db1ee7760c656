/** All SQL on taxes. A deleted tax stays for the invoices that show it, and applies to nothing. */

import { type Insertable, sql } from "kysely";
import type { ListRequest } from "../../../http/list-query.ts";
import { CODED_COLUMNS, pageOf } from "../../../http/page-of.ts";
import { anyOf } from "../../../platform/postgres/any-of.ts";
import { type Batch, batched, batchedRows } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import type { DB } from "../../../platform/postgres/schema.ts";
import type { TaxRow } from "./schema.ts";

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

/** Locks taxes before they are applied: they cannot be deleted until the transaction ends, so no object ever has a deleted tax. */
export const findTaxes = (tx: Tx, organizationId: string, codes: readonly string[]): Promise<TaxRow[]> =>
  live(tx, organizationId)
    .where("code", "=", sql<string>`any(${codes}::text[])`)
    .orderBy("created_at")
    .forKeyShare()
    .execute();

export const findDefaultTaxes = (batch: Batch, organizationId: string): Promise<TaxRow[]> =>
  findDefaultsOnce(batch, organizationId, undefined);

const findDefaultsOnce = batched<undefined, TaxRow[]>(async (tx, organizationId, all) => {
  const rows = await live(tx, organizationId)
    .where("applied_to_organization", "=", true)
    .orderBy("created_at")
    .execute();
  return all.map(() => rows);
});

/** The oldest tax with this rate. */
export const findTaxOfRate = (tx: Tx, organizationId: string, rate: TaxRow["rate"]): Promise<TaxRow | undefined> =>
  live(tx, organizationId).where("rate", "=", rate).orderBy("created_at").orderBy("id").limit(1).executeTakeFirst();

/** Only live taxes. */
export const findTaxesById = batchedRows<TaxRow>(
  (tx, organizationId, ids) => live(tx, organizationId).where("id", "=", anyOf(ids)).orderBy("created_at").execute(),
  ({ id }) => id,
);

export const pageOfTaxes = (tx: Tx, organizationId: string, list: ListRequest) =>
  pageOf(live(tx, organizationId), list, CODED_COLUMNS);

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

/** Removes a tax from all objects of the catalog. */
export async function removeFromEverything(tx: Tx, organizationId: string, taxId: string): Promise<void> {
  await sql`
    with
      plans as (delete from plan_taxes where organization_id = ${organizationId} and tax_id = ${taxId}),
      charges as (delete from charge_taxes where organization_id = ${organizationId} and tax_id = ${taxId}),
      commitments as (delete from commitment_taxes where organization_id = ${organizationId} and tax_id = ${taxId})
    delete from add_on_taxes where organization_id = ${organizationId} and tax_id = ${taxId}`.execute(tx);
}

/** The plans without a tax of their own, to which the defaults of the organization apply. */
export async function countPlansWithoutTax(tx: Tx, organizationId: string): Promise<number> {
  const { rows } = await sql<{ total: bigint }>`
    select count(*) as total from plans
    where organization_id = ${organizationId} and deleted_at is null and parent_id is null
      and not exists (
        select from plan_taxes where plan_taxes.organization_id = plans.organization_id and plan_id = plans.id
      )`.execute(tx);
  return Number(rows[0]?.total ?? 0);
}
