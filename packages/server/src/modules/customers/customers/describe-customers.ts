/** Customers in their API form, with metadata and taxes, in a constant number of queries. */
import assert from "node:assert/strict";
import { alone, type Batch } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { findOrganization } from "../../accounts/index.ts";
import { describeSharedTaxes, findDefaultTaxes, type TaxRow } from "../../catalogue/index.ts";
import type { CustomerRow } from "./schema.ts";
import { findCustomersById, findMetadata, findOwnTaxes } from "./store.ts";
import { type ApiCustomer, toApiCustomer, withTaxes } from "./to-api.ts";

export async function describeCustomers(
  tx: Tx,
  organizationId: string,
  rows: readonly CustomerRow[],
): Promise<ApiCustomer[]> {
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.id);
  const organization = await findOrganization(alone(tx), organizationId);
  const metadata = Map.groupBy(await findMetadata(alone(tx), organizationId, ids), (pair) => pair.customer_id);
  const ownTaxes = Map.groupBy(await findOwnTaxes(alone(tx), organizationId, ids), (tax) => tax.customer_id);
  const defaultTaxes = await findDefaultTaxes(alone(tx), organizationId);

  const taxesOf = (row: CustomerRow): readonly TaxRow[] => ownTaxes.get(row.id) ?? defaultTaxes;
  const describedTaxes = await describeSharedTaxes(tx, organizationId, rows.flatMap(taxesOf));

  return rows.map((row) =>
    withTaxes(
      toApiCustomer({ row, metadata: metadata.get(row.id) ?? [], organizationTimeZone: organization.timezone }),
      describedTaxes(taxesOf(row)),
    ),
  );
}

/** For records that refer to customers by id, deleted ones included. Without taxes. */
export async function describeNamedCustomers(
  batch: Batch,
  organizationId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ApiCustomer>> {
  const rows = await findCustomersById(batch, organizationId, ids);
  const { timezone: organizationTimeZone } = await findOrganization(batch, organizationId);
  const metadata = Map.groupBy(await findMetadata(batch, organizationId, ids), (pair) => pair.customer_id);
  return new Map(
    rows.map((row) => [row.id, toApiCustomer({ row, metadata: metadata.get(row.id) ?? [], organizationTimeZone })]),
  );
}

export async function describeCustomer(tx: Tx, organizationId: string, row: CustomerRow): Promise<ApiCustomer> {
  const [customer] = await describeCustomers(tx, organizationId, [row]);
  assert(customer, "a row has a description");
  return customer;
}
