/** Add-ons in their API form, with their taxes, in a constant number of queries. */
import assert from "node:assert/strict";
import type { Tx } from "../../../platform/postgres/database.ts";
import { describeSharedTaxes } from "../taxes/index.ts";
import { type AddOnRow, type ApiAddOn, toApiAddOn } from "./schema.ts";
import { findTaxesOfAddOns } from "./store.ts";

export async function describeAddOns(tx: Tx, organizationId: string, rows: readonly AddOnRow[]): Promise<ApiAddOn[]> {
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.id);
  const taxes = await findTaxesOfAddOns(tx, organizationId, ids);
  const describedTaxes = await describeSharedTaxes(tx, organizationId, taxes);
  const byAddOn = Map.groupBy(taxes, (tax) => tax.add_on_id);
  return rows.map((row) => toApiAddOn(row, describedTaxes(byAddOn.get(row.id) ?? [])));
}

export async function describeAddOn(tx: Tx, organizationId: string, row: AddOnRow): Promise<ApiAddOn> {
  const [addOn] = await describeAddOns(tx, organizationId, [row]);
  assert(addOn, "a row has a description");
  return addOn;
}
