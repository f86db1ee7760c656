/** A worker gives each committed activity its place in the chain of its organization. */
import { createHash } from "node:crypto";
import type { Database, Tx } from "../../../platform/postgres/database.ts";
import type { MasterKeys } from "../../../platform/secrets/master-keys.ts";
import type { Log } from "../../../platform/telemetry/log.ts";
import { isGenuine, signed } from "./sign-head.ts";
import {
  findUnsealed,
  findWaitingSeals,
  type Head,
  listHeads,
  type Sealed,
  seal,
  takeHead,
  updateHead,
} from "./store.ts";

export type SealDeps = { dispatcherDb: Database; masterKeys: MasterKeys | null; log: Log };

const AT_ONCE = 1_000;

/** A step of a worker. A head that was changed by others is left as it is, so that nothing hides the change. */
export function sealNextActivities(deps: SealDeps): () => Promise<boolean> {
  const refused = new Set<string>();
  return async () => {
    let hasSealed = false;
    for (const organizationId of await findUnsealed(deps.dispatcherDb, deps.masterKeys !== null)) {
      const outcome = await deps.dispatcherDb.transaction().execute((tx) => sealOrganization(tx, organizationId, deps));
      hasSealed ||= outcome === "sealed";
      if (outcome !== "refused" || refused.has(organizationId)) continue;
      refused.add(organizationId);
      deps.log.error({ organization: organizationId }, REFUSED);
    }
    return hasSealed;
  };
}

const REFUSED =
  "the head of a trail has not the signature of this service: its activities are not sealed. Run npm run verify, and see the guide on the trail";

async function sealOrganization(
  tx: Tx,
  organizationId: string,
  { masterKeys, log }: SealDeps,
): Promise<"sealed" | "nothing" | "refused"> {
  const head = await takeHead(tx, organizationId);
  if (!head) return "nothing";
  if (!isGenuine(head, masterKeys)) return "refused";
  const waiting = await findWaitingSeals(tx, organizationId, AT_ONCE);
  const isUnsigned = head.mac === null && masterKeys !== null;
  if (waiting.length === 0 && !isUnsigned) return "nothing";
  if (isUnsigned && head.sequence > 0n)
    log.warn(describeHead(head), "the head of a trail is signed for the first time");
  const sealed = chainOf(head, waiting);
  if (sealed.length > 0) await seal(tx, organizationId, sealed);
  const { sequence, chain } = sealed.at(-1) ?? head;
  await updateHead(tx, signed({ ...head, sequence, chain }, masterKeys));
  return "sealed";
}

function chainOf(head: Head, waiting: readonly { activity_id: string; row_digest: Buffer }[]): Sealed[] {
  let { sequence, chain } = head;
  return waiting.map(({ activity_id: activityId, row_digest }) => {
    sequence += 1n;
    chain = createHash("sha256").update(chain).update(row_digest).digest();
    return { activityId, sequence, chain };
  });
}

const describeHead = ({ organization_id, sequence, chain }: Head) => ({
  organization: organization_id,
  sequence: String(sequence),
  chain: chain.toString("hex"),
});

/** Into the log, which is kept elsewhere: a chain that does not have this value at this sequence was recomputed. */
export async function logHeads({ dispatcherDb, log }: SealDeps): Promise<void> {
  for (const head of await listHeads(dispatcherDb))
    if (head.sequence > 0n) log.info(describeHead(head), "head of the trail");
}

/** After a new master key: what has the signature of an older one gets one of the first. Returns how many. */
export async function signHeadsAgain(
  { dispatcherDb, masterKeys }: SealDeps,
  { isLost = false }: { isLost?: boolean } = {},
): Promise<number> {
  if (masterKeys === null) return 0;
  let count = 0;
  for (const { organization_id, master_version } of await listHeads(dispatcherDb)) {
    if (master_version === masterKeys.first) continue;
    await dispatcherDb.transaction().execute(async (tx) => {
      const head = await takeHead(tx, organization_id);
      if (!head || !(isGenuine(head, masterKeys) || (isLost && !masterKeys.byVersion.has(head.master_version ?? 0))))
        return;
      await updateHead(tx, signed(head, masterKeys));
      count++;
    });
  }
  return count;
}
