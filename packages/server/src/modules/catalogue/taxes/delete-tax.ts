/** Deletes a tax and removes it from every object. The response shows the tax before the deletion, with its uses. */
import type { Clock } from "../../../platform/clock.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { describeTax } from "./describe-taxes.ts";
import { taxErrors } from "./errors.ts";
import type { ApiTax } from "./schema.ts";
import { lockTax, removeFromEverything, updateTax } from "./store.ts";

export type TaxDeps = {
  clock: Clock;
  /** In the transaction of the change; null for a tax that is, or was, a default. */
  onChanged: (tx: Tx, taxId: string | null) => Promise<void>;
  /** Removes the tax from customers. */
  onDeleted: (tx: Tx, organizationId: string, taxId: string) => Promise<void>;
};

export async function deleteTax(
  tx: Tx,
  organizationId: string,
  code: string,
  { clock, onChanged, onDeleted }: TaxDeps,
): Promise<ApiTax> {
  const row = await lockTax(tx, organizationId, code);
  if (!row) throw taxErrors.problem("tax_not_found");
  const described = await describeTax(tx, organizationId, row);
  await updateTax(tx, organizationId, code, { deleted_at: clock.now() });
  await removeFromEverything(tx, organizationId, row.id);
  await onDeleted(tx, organizationId, row.id);
  await onChanged(tx, row.id);
  return described;
}
