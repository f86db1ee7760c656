/** A subscription as it is stored, by its id. */
import type { Tx } from "../../platform/postgres/database.ts";
import { rowsTogether } from "../../platform/postgres/in-step.ts";
import type { StoredSubscription } from "./row.ts";
import { findNeighbors, findStored, findSubscriptionsById } from "./store.ts";

const findStoredTogether = rowsTogether(findStored, ({ row }) => row.id);

export async function findSubscription(
  tx: Tx,
  organizationId: string,
  id: string,
): Promise<StoredSubscription | undefined> {
  const [stored] = await findStoredTogether(tx, organizationId, [id]);
  return stored;
}

export const findRows = rowsTogether(findSubscriptionsById, ({ id }) => id);
export const findNeighborsOf = rowsTogether(findNeighbors, ({ id }) => id);
