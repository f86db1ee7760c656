/** The taxes of a customer, and the organization's defaults. */
import type { Batch } from "../../../platform/postgres/batch.ts";
import { findDefaultTaxes, type TaxRow } from "../../catalogue/index.ts";
import { findOwnTaxes } from "./store.ts";

export type CustomerTaxRows = { customer: readonly TaxRow[]; organization: readonly TaxRow[] };

export async function findCustomerTaxes(
  batch: Batch,
  organizationId: string,
  customerId: string,
): Promise<CustomerTaxRows> {
  return {
    customer: await findOwnTaxes(batch, organizationId, [customerId]),
    organization: await findDefaultTaxes(batch, organizationId),
  };
}
