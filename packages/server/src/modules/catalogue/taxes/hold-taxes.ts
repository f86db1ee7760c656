/** Taxes to put on something, by their codes. */
import type { Tx } from "../../../platform/postgres/database.ts";
import { taxErrors } from "./errors.ts";
import type { TaxRow } from "./schema.ts";
import { findTaxes } from "./store.ts";

/** All that the codes name, oldest first; a code that names none is refused. They cannot be deleted until the transaction ends. */
export async function holdTaxes(tx: Tx, organizationId: string, codes: readonly string[]): Promise<TaxRow[]> {
  const distinct = new Set(codes);
  const taxes = await findTaxes(tx, organizationId, [...distinct]);
  if (taxes.length !== distinct.size) throw taxErrors.problem("tax_not_found");
  return taxes;
}
