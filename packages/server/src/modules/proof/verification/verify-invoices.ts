/** Verifies all finalized invoices of organizations in order of id, from any position. Memory use does not grow with their number. */
import { inSnapshot } from "../../../platform/postgres/database.ts";
import type { VerifyDeps } from "./rebuild.ts";
import { countNumbered, findNumbered } from "./store.ts";
import { type Verification, verifyInvoice } from "./verify-invoice.ts";

const BATCH = 200;
const FIRST = "00000000-0000-0000-0000-000000000000";

/** All invoices up to this one are verified. */
export type Position = { organizationId: string; invoiceId: string };

type Walk = {
  organizationIds: readonly string[];
  /** null: start with the first invoice. */
  after: Position | null;
  /** How many invoices are recomputed at the same time. */
  concurrency: number;
  onVerified: (organizationId: string, verification: Verification) => void;
  /** Called when all invoices up to the position are verified and reported. */
  onPosition: (position: Position) => void;
};

export const countInvoices = async ({ db }: VerifyDeps, organizationIds: readonly string[]): Promise<number> => {
  let total = 0;
  for (const id of organizationIds) total += await inSnapshot(db, id, (tx) => countNumbered(tx, id));
  return total;
};

/** Organizations are in order of id, so that a resumed run skips those that are done. */
export async function verifyInvoices(deps: VerifyDeps, walk: Walk): Promise<void> {
  const { after, onPosition } = walk;
  for (const organizationId of walk.organizationIds.toSorted()) {
    if (after && organizationId < after.organizationId) continue;
    let last = after?.organizationId === organizationId ? after.invoiceId : FIRST;
    for (;;) {
      const requested = { after: last, limit: BATCH };
      const ids = await inSnapshot(deps.db, organizationId, (tx) => findNumbered(tx, organizationId, requested));
      await verifyBatch(deps, walk, organizationId, ids);
      last = ids.at(-1) ?? last;
      if (ids.length > 0) onPosition({ organizationId, invoiceId: last });
      if (ids.length < BATCH) break;
    }
  }
}

async function verifyBatch(
  deps: VerifyDeps,
  { concurrency, onVerified }: Walk,
  organizationId: string,
  ids: readonly string[],
): Promise<void> {
  const queue = [...ids];
  const work = async (): Promise<void> => {
    for (let id = queue.shift(); id !== undefined; id = queue.shift())
      onVerified(organizationId, await verifyInvoice(deps, organizationId, id));
  };
  await Promise.all(Array.from({ length: concurrency }, work));
}
