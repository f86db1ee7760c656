/** Fees in their API form, in a constant number of queries. */
import assert from "node:assert/strict";
import { alone, type Batch, batchedRows } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { shownRow } from "./shown-fee.ts";
import { type FeeRow, findFeeNeighbors, findTaxesOfFees } from "./store.ts";
import { type ApiFee, toApiFee } from "./to-api.ts";

const findNeighbors = batchedRows(findFeeNeighbors, ({ id }) => id);

/** Taxes are left out inside an invoice, which shows its own. */
export async function describeFees(
  batch: Batch,
  organizationId: string,
  rows: readonly FeeRow[],
  { withTaxes }: { withTaxes: boolean },
): Promise<ApiFee[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const neighbors = new Map((await findNeighbors(batch, organizationId, ids)).map((found) => [found.id, found]));
  const taxes = withTaxes
    ? Map.groupBy(await findTaxesOfFees(batch.tx, organizationId, ids), ({ fee_id }) => fee_id)
    : undefined;
  return rows.map((row) => {
    const of = neighbors.get(row.id);
    assert(of, "a fee has a customer");
    return toApiFee(shownRow(row), of, taxes && (taxes.get(row.id) ?? []));
  });
}

export async function describeFee(tx: Tx, organizationId: string, row: FeeRow): Promise<ApiFee> {
  const [fee] = await describeFees(alone(tx), organizationId, [row], { withTaxes: true });
  assert(fee, "a row has a description");
  return fee;
}
