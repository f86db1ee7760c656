/** Taxes in their API form, with real counts, in a constant number of queries. */
import assert from "node:assert/strict";
import { alone } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { countCustomersWithoutTax, countUsesOfTaxes } from "../look-ups/index.ts";
import { type ApiTax, type TaxRow, type TaxUses, toApiTax } from "./schema.ts";
import { countPlansWithoutTax, findDefaultTaxes } from "./store.ts";

const NONE: TaxUses = { addOns: 0, customers: 0, plans: 0, charges: 0, commitments: 0 };

export async function describeTaxes(tx: Tx, organizationId: string, rows: readonly TaxRow[]): Promise<ApiTax[]> {
  if (rows.length === 0) return [];
  const own = await countUsesOfTaxes(
    tx,
    organizationId,
    rows.map((row) => row.id),
  );
  const ownById = Map.groupBy(own, (count) => count.tax_id);
  const hasDefault = rows.some((row) => row.applied_to_organization);
  const byDefault = hasDefault ? await countByDefault(tx, organizationId) : NONE;
  return rows.map((row) => {
    const uses = { ...NONE, ...(row.applied_to_organization ? byDefault : {}) };
    for (const count of ownById.get(row.id) ?? []) uses[count.kind] += Number(count.uses);
    return toApiTax(row, uses);
  });
}

export async function describeTax(tx: Tx, organizationId: string, row: TaxRow): Promise<ApiTax> {
  const [tax] = await describeTaxes(tx, organizationId, [row]);
  assert(tax, "a row has a description");
  return tax;
}

/** For records that share taxes: each tax is described once, and the returned function gives those of a record in its order. */
export async function describeSharedTaxes(
  tx: Tx,
  organizationId: string,
  rows: readonly TaxRow[],
): Promise<(ofRecord: readonly TaxRow[]) => ApiTax[]> {
  const distinct = new Map(rows.map((tax) => [tax.id, tax]));
  const described = await describeTaxes(tx, organizationId, [...distinct.values()]);
  const byId = new Map(described.map((tax) => [tax.svc_id, tax]));
  return (ofRecord) => ofRecord.flatMap((tax) => byId.get(tax.id) ?? []);
}

/** A default applies to customers and plans without a tax of their own; other objects are taxed through them. */
async function countByDefault(tx: Tx, organizationId: string): Promise<TaxUses> {
  const customers = await countCustomersWithoutTax(tx, organizationId);
  return { ...NONE, customers, plans: await countPlansWithoutTax(tx, organizationId) };
}

/** The defaults of the organization. */
export async function listDefaultTaxes(tx: Tx, organizationId: string): Promise<ApiTax[]> {
  return describeTaxes(tx, organizationId, await findDefaultTaxes(alone(tx), organizationId));
}
