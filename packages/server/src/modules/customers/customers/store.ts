/** All SQL on customers, customer_metadata and customer_taxes. */

import { type Insertable, type RawBuilder, sql } from "kysely";
import type { ListRequest } from "../../../http/list-query.ts";
import { byInstant, byText, pageOf } from "../../../http/page-of.ts";
import { anyOf } from "../../../platform/postgres/any-of.ts";
import { batchedRows } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { containsTerm, type Search, searchFor, searchOf } from "../../../platform/postgres/find-by-term.ts";
import type { DB } from "../../../platform/postgres/schema.ts";
import type { CustomerRow } from "./schema.ts";
import type { MetadataRow } from "./to-api.ts";

const SEARCHED = ["name", "legal_name", "external_id", "email"];

const live = (tx: Tx, organizationId: string) =>
  tx.selectFrom("customers").selectAll().where("organization_id", "=", organizationId).where("deleted_at", "is", null);

/** Leaves out customers of a deleted test clock that a job has yet to delete: for callers, they are gone with their clock. */
const present = (tx: Tx, organizationId: string) =>
  live(tx, organizationId).where((of) =>
    of.or([
      of("test_clock_id", "is", null),
      of.exists(
        of
          .selectFrom("test_clocks")
          .select("test_clocks.id")
          .where("test_clocks.organization_id", "=", organizationId)
          .whereRef("test_clocks.id", "=", "customers.test_clock_id")
          .where("test_clocks.deleted_at", "is", null),
      ),
    ]),
  );

export const findCustomer = (tx: Tx, organizationId: string, externalId: string): Promise<CustomerRow | undefined> =>
  present(tx, organizationId).where("external_id", "=", externalId).executeTakeFirst();

/**
 * The ids of who has, or had, an external id, for `in`. Documents stay after a deletion and are found with it (`included`); coupons,
 * wallets and subscriptions are those of the customer that has the id now (`left_out`).
 */
export const idsByExternalId = (
  organizationId: string,
  externalId: string,
  { deleted }: { deleted: "included" | "left_out" },
): RawBuilder<string> =>
  sql<string>`(
    select customers.id from customers
    where customers.organization_id = ${organizationId} and customers.external_id = ${externalId}
      ${deleted === "included" ? sql`` : sql`and customers.deleted_at is null`})`;

/** Documents by their customer, deleted ones included: by its names, external id or email. */
export const searchByCustomer = (tx: Tx, organizationId: string, term: string): Promise<Search> =>
  searchFor(tx, organizationId, {
    ...{ kind: "customers", term, idColumn: "customer_id" },
    // As a condition, and not as a join: the planner expects few customers, and would look up the documents of each.
    otherwise: sql`(customer_id in (
      select customers.id from customers
      where customers.organization_id = ${organizationId}
        and ${containsTerm(
          SEARCHED.map((column) => `customers.${column}`),
          term,
        )})) is true`,
  });

export const findCustomerById = (tx: Tx, organizationId: string, id: string): Promise<CustomerRow | undefined> =>
  live(tx, organizationId).where("id", "=", id).executeTakeFirst();

/** Includes deleted customers: their documents stay. */
export const findCustomersById = batchedRows<CustomerRow>(
  (tx, organizationId, ids) =>
    tx
      .selectFrom("customers")
      .selectAll()
      .where("organization_id", "=", organizationId)
      .where("id", "=", anyOf(ids))
      .execute(),
  ({ id }) => id,
);

export const lockCustomerRow = (tx: Tx, organizationId: string, id: string): Promise<CustomerRow | undefined> =>
  live(tx, organizationId).where("id", "=", id).forNoKeyUpdate().executeTakeFirst();

/** Indexes: customers_list for the default order, customers_name, customers__external_id; customers_parts for a search. */
export async function pageOfCustomers(tx: Tx, organizationId: string, list: ListRequest) {
  return pageOf(present(tx, organizationId), list, {
    sorts: {
      created_at: [byInstant("created_at")],
      name: [{ ...byText("name"), isNullable: true }],
      external_id: [byText("external_id")],
    },
    filters: { external_id: "external_id", currency: "currency" },
    ...(await searchOf(tx, organizationId, { kind: "customers", term: list.searchTerm, columns: SEARCHED })),
  });
}

/** Returns undefined if a live customer already has the external_id. */
export const insertCustomer = (
  tx: Tx,
  organizationId: string,
  customer: Omit<Insertable<DB["customers"]>, "organization_id">,
): Promise<CustomerRow | undefined> =>
  tx
    .insertInto("customers")
    .values({ ...customer, organization_id: organizationId })
    .onConflict((conflict) =>
      conflict.columns(["organization_id", "external_id"]).where("deleted_at", "is", null).doNothing(),
    )
    .returningAll()
    .executeTakeFirst();

export const updateCustomer = (
  tx: Tx,
  organizationId: string,
  id: string,
  changes: Partial<CustomerRow>,
): Promise<CustomerRow> =>
  tx
    .updateTable("customers")
    .set(changes)
    .where("organization_id", "=", organizationId)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();

export const lockCustomersOfClock = (
  tx: Tx,
  organizationId: string,
  testClockId: string,
  limit: number,
): Promise<CustomerRow[]> =>
  live(tx, organizationId)
    .where("test_clock_id", "=", testClockId)
    .orderBy("id")
    .limit(limit)
    .forNoKeyUpdate()
    .execute();

export const findMetadata = batchedRows<MetadataRow>(
  (tx, organizationId, customerIds) =>
    tx
      .selectFrom("customer_metadata")
      .selectAll()
      .where("organization_id", "=", organizationId)
      .where("customer_id", "=", anyOf(customerIds))
      .orderBy("created_at")
      .orderBy("id")
      .execute(),
  ({ customer_id }) => customer_id,
);

/** Replaces the metadata pairs: known ids are changed, new ones inserted, the others deleted. */
export async function replaceMetadata(
  tx: Tx,
  organizationId: string,
  customerId: string,
  pairs: readonly Omit<MetadataRow, "organization_id" | "customer_id">[],
): Promise<void> {
  await tx
    .deleteFrom("customer_metadata")
    .where("organization_id", "=", organizationId)
    .where("customer_id", "=", customerId)
    .where("id", "!=", sql<string>`all(${pairs.map((pair) => pair.id)}::uuid[])`)
    .execute();
  if (pairs.length === 0) return;
  await tx
    .insertInto("customer_metadata")
    .values(pairs.map((pair) => ({ ...pair, organization_id: organizationId, customer_id: customerId })))
    .onConflict((conflict) =>
      conflict.columns(["organization_id", "id"]).doUpdateSet((row) => ({
        key: row.ref("excluded.key"),
        value: row.ref("excluded.value"),
        display_in_invoice: row.ref("excluded.display_in_invoice"),
      })),
    )
    .execute();
}

export const findOwnTaxes = batchedRows(
  (tx, organizationId, customerIds) => findTaxesOfCustomers(tx, organizationId, customerIds),
  ({ customer_id }) => customer_id,
);

const findTaxesOfCustomers = (tx: Tx, organizationId: string, customerIds: readonly string[]) =>
  tx
    .selectFrom("customer_taxes")
    .innerJoin("taxes", (join) =>
      join
        .onRef("taxes.organization_id", "=", "customer_taxes.organization_id")
        .onRef("taxes.id", "=", "customer_taxes.tax_id")
        .on("taxes.deleted_at", "is", null),
    )
    .selectAll("taxes")
    .select("customer_taxes.customer_id")
    .where("customer_taxes.organization_id", "=", organizationId)
    .where("customer_taxes.customer_id", "=", anyOf(customerIds))
    .orderBy("taxes.created_at")
    .execute();

export async function replaceTaxes(
  tx: Tx,
  organizationId: string,
  customerId: string,
  taxIds: readonly string[],
): Promise<void> {
  await tx
    .deleteFrom("customer_taxes")
    .where("organization_id", "=", organizationId)
    .where("customer_id", "=", customerId)
    .execute();
  if (taxIds.length === 0) return;
  await tx
    .insertInto("customer_taxes")
    .values(taxIds.map((taxId) => ({ organization_id: organizationId, customer_id: customerId, tax_id: taxId })))
    .execute();
}

/** Removes a deleted tax from its customers. */
export async function removeTax(tx: Tx, organizationId: string, taxId: string): Promise<void> {
  await tx
    .deleteFrom("customer_taxes")
    .where("organization_id", "=", organizationId)
    .where("tax_id", "=", taxId)
    .execute();
}
