/**
 * The promise about the heads of trails: each has a signature of this service. It takes the master keys, so it is not an invariant in SQL.
 * What is signed is put together here again, apart from the code that signs.
 */
import type { ClientBase } from "pg";
import { isMac } from "../platform/secrets/mac.ts";
import type { MasterKeys } from "../platform/secrets/master-keys.ts";
import type { Finding } from "./check-invariants.ts";

export const HEADS_CHECK = "activity-heads-are-signed";
const PROMISE =
  "With SECRETS_KEY, every trail ends where the service signed that it ends, and begins where the service pruned it.";

/** A worker signs the head of a new organization at once. */
const SIGNED_WITHIN = { minutes: 10 };

type HeadRow = {
  organization_id: string;
  message: string;
  mac: Buffer | null;
  master_version: number | null;
  is_new: boolean;
};

type Scope = { masterKeys: MasterKeys | null; rowsMax: number; organizationId: string | undefined };

export async function checkSignedHeads(
  client: ClientBase,
  { masterKeys, rowsMax, organizationId }: Scope,
): Promise<Finding> {
  const begun = performance.now();
  const { rows } = await client.query<HeadRow>(
    `select h.organization_id,
       format('["%s","%s","%s","%s","%s"]', h.organization_id, h.sequence, encode(h.chain, 'hex'), h.pruned_sequence,
         encode(h.pruned_chain, 'hex')) as message,
       h.mac, h.master_version,
       h.sequence = 0 and o.created_at > current_setting('verify.now')::timestamptz - $2::interval as is_new
     from activity_heads h join organizations o on o.id = h.organization_id
     where $1::uuid is null or h.organization_id = $1::uuid order by 1`,
    [organizationId ?? null, `${SIGNED_WITHIN.minutes} minutes`],
  );
  const broken = rows.filter((row) => !isSigned(row, masterKeys)).map(({ organization_id }) => ({ organization_id }));
  const seconds = (performance.now() - begun) / 1000;
  return { name: HEADS_CHECK, promise: PROMISE, broken: broken.length, rows: broken.slice(0, rowsMax), seconds };
}

/** Without a key there is nothing to check, but what was signed once needs its key. */
function isSigned({ mac, master_version: version, message, is_new }: HeadRow, masterKeys: MasterKeys | null): boolean {
  if (mac === null || version === null) return masterKeys === null || is_new;
  return masterKeys !== null && isMac(masterKeys, version, "activity heads", { message, mac });
}
