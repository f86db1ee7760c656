/** What leaves the trail: old activities by age, and the differences of an object whose data must be erased. The chain stays verifiable. */
import {
  actAsDispatcher,
  actForOrganization,
  allowLongStatements,
  type Database,
} from "../../../platform/postgres/database.ts";
import type { MasterKeys } from "../../../platform/secrets/master-keys.ts";
import { type Entry, recordActivity } from "./record-activity.ts";
import { isGenuine, signed } from "./sign-head.ts";
import {
  deletePruned,
  eraseDifferences,
  findChain,
  findPrunable,
  listHeads,
  lockErasable,
  takeHead,
  updateHead,
} from "./store.ts";

type Deps = { dispatcherDb: Database; masterKeys: MasterKeys | null };

const AT_ONCE = 5_000;
const STATEMENT_MS = 60_000;

/** Deletes activities from before the instant. The signed head keeps where the chain then begins, and the trail says that it was done. */
export async function pruneActivities(deps: Deps, before: Temporal.Instant, at: Temporal.Instant): Promise<number> {
  let total = 0;
  for (const { organization_id } of await listHeads(deps.dispatcherDb)) {
    let count: number;
    do {
      count = await pruneSome(deps, organization_id, { before, at });
      total += count;
    } while (count === AT_ONCE);
  }
  return total;
}

type Age = { before: Temporal.Instant; at: Temporal.Instant };

const pruneSome = ({ dispatcherDb, masterKeys }: Deps, organizationId: string, { before, at }: Age): Promise<number> =>
  dispatcherDb.transaction().execute(async (tx) => {
    await allowLongStatements(tx, STATEMENT_MS);
    const head = await takeHead(tx, organizationId);
    if (!head || !isGenuine(head, masterKeys)) return 0;
    const from = head.pruned_sequence;
    const through = await findPrunable(tx, organizationId, { from, before, limit: AT_ONCE });
    const chain = await findChain(tx, organizationId, through);
    if (through === from || !chain) return 0;
    await updateHead(tx, signed({ ...head, pruned_sequence: through, pruned_chain: chain }, masterKeys));
    await deletePruned(tx, organizationId, through);
    await actForOrganization(tx, organizationId);
    await recordActivity(tx, organizationId, {
      at,
      actor: { kind: "service", id: "prune_activities" },
      operation: "pruneActivities",
      object: { type: "activity", id: null },
      difference: JSON.stringify({ first_sequence: [String(from + 1n), String(through + 1n)] }),
    });
    return Number(through - from);
  });

/** Few enough for one difference. */
const ERASED_AT_ONCE = 400;

/** Drops text and salt of all differences of an object. The trail lists which, and who did it. Returns how many. */
export async function eraseActivities(
  { dispatcherDb }: Deps,
  organizationId: string,
  { object, ...by }: { object: { type: string; id: string } } & Pick<Entry, "at" | "actor">,
): Promise<number> {
  let total = 0;
  for (;;) {
    const count = await dispatcherDb.transaction().execute(async (tx) => {
      const ids = await lockErasable(tx, organizationId, { object, limit: ERASED_AT_ONCE });
      if (ids.length === 0) return 0;
      await actForOrganization(tx, organizationId);
      const difference = JSON.stringify({ activities: [ids, null] });
      const entry = { ...by, operation: "eraseActivities", object: { type: "activity", id: object.id }, difference };
      const erasedBy = await recordActivity(tx, organizationId, entry);
      await actAsDispatcher(tx);
      await eraseDifferences(tx, organizationId, { ids, erasedBy });
      return ids.length;
    });
    total += count;
    if (count < ERASED_AT_ONCE) return total;
  }
}
