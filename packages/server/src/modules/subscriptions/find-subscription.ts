/** A stored subscription, by its id. */
import { type Batch, batchedRows } from "../../platform/postgres/batch.ts";
import type { StoredSubscription } from "./row.ts";
import { findNeighbors, findStored, findSubscriptionsById } from "./store.ts";

const findBatchedStored = batchedRows(findStored, ({ row }) => row.id);

export async function findSubscription(
  batch: Batch,
  organizationId: string,
  id: string,
): Promise<StoredSubscription | undefined> {
  const [stored] = await findBatchedStored(batch, organizationId, [id]);
  return stored;
}

export const findRows = batchedRows(findSubscriptionsById, ({ id }) => id);
export const findNeighborsOf = batchedRows(findNeighbors, ({ id }) => id);
