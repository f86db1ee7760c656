/** All SQL on add_ons and add_on_taxes. */

import { type Insertable, sql } from "kysely";
import type { ListRequest } from "../../../http/list-query.ts";
import { CODED_COLUMNS, pageOf } from "../../../http/page-of.ts";
import { anyOf } from "../../../platform/postgres/any-of.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import type { DB } from "../../../platform/postgres/schema.ts";
import type { AddOnRow } from "./schema.ts";

const live = (tx: Tx, organizationId: string) =>
  tx.selectFrom("add_ons").selectAll().where("organization_id", "=", organizationId).where("deleted_at", "is", null);

export const findAddOn = (tx: Tx, organizationId: string, code: string): Promise<AddOnRow | undefined> =>
  live(tx, organizationId).where("code", "=", code).executeTakeFirst();

export const findAddOns = (tx: Tx, organizationId: string, codes: readonly string[]): Promise<AddOnRow[]> =>
  live(tx, organizationId).where("code", "=", sql<string>`any(${codes}::text[])`).execute();

/** Locks the add-on against other changes until the transaction ends. */
export const lockAddOn = (tx: Tx, organizationId: string, code: string): Promise<AddOnRow | undefined> =>
  live(tx, organizationId).where("code", "=", code).forUpdate().executeTakeFirst();

export const pageOfAddOns = (tx: Tx, organizationId: string, list: ListRequest) =>
  pageOf(live(tx, organizationId), list, CODED_COLUMNS);

export const insertAddOn = (
  tx: Tx,
  organizationId: string,
  addOn: Omit<Insertable<DB["add_ons"]>, "organization_id">,
): Promise<AddOnRow> =>
  tx
    .insertInto("add_ons")
    .values({ ...addOn, organization_id: organizationId })
    .returningAll()
    .executeTakeFirstOrThrow();

export const updateAddOn = (
  tx: Tx,
  organizationId: string,
  id: string,
  changes: Partial<AddOnRow>,
): Promise<AddOnRow> =>
  tx
    .updateTable("add_ons")
    .set(changes)
    .where("organization_id", "=", organizationId)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();

/** The live taxes of each add-on, oldest first. */
export const findTaxesOfAddOns = (tx: Tx, organizationId: string, addOnIds: readonly string[]) =>
  tx
    .selectFrom("add_on_taxes")
    .innerJoin("taxes", (join) =>
      join
        .onRef("taxes.organization_id", "=", "add_on_taxes.organization_id")
        .onRef("taxes.id", "=", "add_on_taxes.tax_id")
        .on("taxes.deleted_at", "is", null),
    )
    .selectAll("taxes")
    .select("add_on_taxes.add_on_id")
    .where("add_on_taxes.organization_id", "=", organizationId)
    .where("add_on_taxes.add_on_id", "=", anyOf(addOnIds))
    .orderBy("taxes.created_at")
    .orderBy("taxes.id")
    .execute();

/** As one list: an organization may have more taxes than a statement may have parameters. */
export async function replaceTaxes(
  tx: Tx,
  organizationId: string,
  addOnId: string,
  taxIds: readonly string[],
): Promise<void> {
  await tx
    .deleteFrom("add_on_taxes")
    .where("organization_id", "=", organizationId)
    .where("add_on_id", "=", addOnId)
    .execute();
  await sql`
    insert into add_on_taxes (organization_id, add_on_id, tax_id)
    select ${organizationId}::uuid, ${addOnId}::uuid, unnest(${taxIds}::uuid[])`.execute(tx);
}
