/** What becomes of data keys: they are sealed again with the first master key, and deleted once they are retired and unused. */
import type { Database, Tx } from "../../../platform/postgres/database.ts";
import { inOrganization } from "../../../platform/postgres/database.ts";
import { type MasterKeys, rewrapDataKey } from "../../../platform/secrets/master-keys.ts";
import { deleteDataKey, findRetiredBefore, holdKeysToRewrap, updateWrapped } from "./store.ts";

/** Longer than stored answers are kept (`http/transactions.ts`). */
const KEPT_AFTER_RETIREMENT = { hours: 25 };
const STILL_NEEDED = "23503";

/** Leaves alone what cannot be opened. Returns how many keys were sealed again. */
export async function rewrapKeys(tx: Tx, organizationId: string, masterKeys: MasterKeys): Promise<number> {
  let count = 0;
  for (const wrapped of await holdKeysToRewrap(tx, organizationId, masterKeys.first)) {
    const rewrapped = rewrapDataKey(masterKeys, wrapped);
    if (!rewrapped) continue;
    await updateWrapped(tx, rewrapped);
    count++;
  }
  return count;
}

/** Each in a transaction of its own: only the foreign keys know which rows need a key. */
export async function forgetRetiredKeys(db: Database, organizationId: string, now: Temporal.Instant): Promise<void> {
  const before = now.subtract(KEPT_AFTER_RETIREMENT);
  const retired = await inOrganization(db, organizationId, (tx) => findRetiredBefore(tx, organizationId, before));
  for (const { version } of retired) {
    try {
      await inOrganization(db, organizationId, (tx) => deleteDataKey(tx, organizationId, version));
    } catch (error) {
      if ((error as { code?: unknown }).code !== STILL_NEEDED) throw error;
    }
  }
}
