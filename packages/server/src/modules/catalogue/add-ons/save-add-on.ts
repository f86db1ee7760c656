/** Creates, changes and deletes add-ons. */
import { addOnAfterUpdate, type Members, parseAddOn } from "@tallystick/core/catalog";
import type { Precondition } from "../../../http/etags.ts";
import { accept } from "../../../http/problem.ts";
import { newId } from "../../../platform/new-id.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { holdTaxes } from "../taxes/index.ts";
import { describeAddOn } from "./describe-add-ons.ts";
import { addOnErrors } from "./errors.ts";
import { type AddOnRow, type ApiAddOn, fromRow, toRow } from "./schema.ts";
import { findTaxesOfAddOns, insertAddOn, lockAddOn, replaceTaxes, updateAddOn } from "./store.ts";

export async function createAddOn(
  tx: Tx,
  organizationId: string,
  members: Members,
  now: Temporal.Instant,
): Promise<ApiAddOn> {
  const addOn = accept(parseAddOn(members));
  const record = { ...toRow(addOn), id: newId(), created_at: now, updated_at: now };
  const row = await insertAddOn(tx, organizationId, record);
  await applyTaxes(tx, organizationId, row.id, addOn.taxCodes);
  return describeAddOn(tx, organizationId, row);
}

export async function changeAddOn(
  tx: Tx,
  organizationId: string,
  code: string,
  { change, precondition, now }: { change: Members; precondition: Precondition; now: Temporal.Instant },
): Promise<ApiAddOn> {
  const existing = await lockExisting(tx, organizationId, code);
  await precondition(async () => ({ add_on: await describeAddOn(tx, organizationId, existing) }));
  const taxes = await findTaxesOfAddOns(tx, organizationId, [existing.id]);
  const current = fromRow(
    existing,
    taxes.map((tax) => tax.code),
  );
  const changed = accept(addOnAfterUpdate(current, change));
  const row = await updateAddOn(tx, organizationId, existing.id, { ...toRow(changed), updated_at: now });
  // Unchanged unless requested: a tax that is being deleted must not block a new name.
  if (Array.isArray(change.tax_codes)) await applyTaxes(tx, organizationId, row.id, changed.taxCodes);
  return describeAddOn(tx, organizationId, row);
}

/** The response shows the add-on before the deletion. */
export async function deleteAddOn(
  tx: Tx,
  organizationId: string,
  code: string,
  now: Temporal.Instant,
): Promise<ApiAddOn> {
  const existing = await lockExisting(tx, organizationId, code);
  const described = await describeAddOn(tx, organizationId, existing);
  await updateAddOn(tx, organizationId, existing.id, { deleted_at: now });
  return described;
}

async function lockExisting(tx: Tx, organizationId: string, code: string): Promise<AddOnRow> {
  const row = await lockAddOn(tx, organizationId, code);
  if (!row) throw addOnErrors.problem("add_on_not_found");
  return row;
}

async function applyTaxes(tx: Tx, organizationId: string, addOnId: string, codes: readonly string[]): Promise<void> {
  const taxes = await holdTaxes(tx, organizationId, codes);
  await replaceTaxes(
    tx,
    organizationId,
    addOnId,
    taxes.map((tax) => tax.id),
  );
}
