/** Finds and locks taxes by code, to apply them to an object. */
import type { Tx } from "../../../platform/postgres/database.ts";
import { taxErrors } from "./errors.ts";
import type { TaxRow } from "./schema.ts";
import { findTaxes } from "./store.ts";

/** All taxes with these codes, oldest first; an unknown code is refused. The taxes cannot be deleted until the transaction ends. */
export async function holdTaxes(tx: Tx, organizationId: string, codes: readonly string[]): Promise<TaxRow[]> {
  const distinct = new Set(codes);
  const taxes = await findTaxes(tx, organizationId, [...distinct]);
  const unknown = distinct.difference(new Set(taxes.map(({ code }) => code)));
  if (unknown.size > 0) throw taxErrors.problem("tax_not_found", [...unknown]);
  return taxes;
}
