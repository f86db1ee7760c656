/** The taxes of a customer, and the organization's defaults. */
import type { Tx } from "../../../platform/postgres/database.ts";
import { findDefaultTaxes, type TaxRow } from "../../catalogue/index.ts";
import { findOwnTaxes } from "./store.ts";

export type CustomerTaxRows = { customer: readonly TaxRow[]; organization: readonly TaxRow[] };

export async function findCustomerTaxes(tx: Tx, organizationId: string, customerId: string): Promise<CustomerTaxRows> {
  return {
    customer: await findOwnTaxes(tx, organizationId, [customerId]),
    organization: await findDefaultTaxes(tx, organizationId),
  };
}
