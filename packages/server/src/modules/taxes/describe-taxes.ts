/** Taxes in their API form, with real counts, in a constant number of queries. */
import type { Tx } from "../../platform/postgres/database.ts";
import { type ApiTax, type TaxRow, toApiTax } from "./schema.ts";
import { countCustomersWithoutTax, countOwnCustomers, findDefaultTaxes } from "./store.ts";

export async function describeTaxes(tx: Tx, organizationId: string, rows: readonly TaxRow[]): Promise<ApiTax[]> {
  if (rows.length === 0) return [];
  const own = await countOwnCustomers(
    tx,
    organizationId,
    rows.map((row) => row.id),
  );
  const ownById = new Map(own.map(({ tax_id, customers }) => [tax_id, Number(customers)]));
  const hasDefault = rows.some((row) => row.applied_to_organization);
  const byDefault = hasDefault ? await countCustomersWithoutTax(tx, organizationId) : 0;
  return rows.map((row) =>
    toApiTax(row, { customers: (ownById.get(row.id) ?? 0) + (row.applied_to_organization ? byDefault : 0) }),
  );
}

/** The defaults of the organization. */
export async function listDefaultTaxes(tx: Tx, organizationId: string): Promise<ApiTax[]> {
  return describeTaxes(tx, organizationId, await findDefaultTaxes(tx, organizationId));
}
