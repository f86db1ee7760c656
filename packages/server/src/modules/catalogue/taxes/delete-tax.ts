/** Deletes a tax: it leaves everything that it is on. The answer shows it was, with what used it. */
import type { Clock } from "../../../platform/clock.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { describeTax } from "./describe-taxes.ts";
import { taxErrors } from "./errors.ts";
import type { ApiTax } from "./schema.ts";
import { lockTax, removeFromEverything, updateTax } from "./store.ts";

export type TaxDeps = {
  clock: Clock;
  /** In the transaction of the change; null: of one that is, or was, for everybody. */
  onChanged: (tx: Tx, taxId: string | null) => Promise<void>;
  /** Takes it off customers. */
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
