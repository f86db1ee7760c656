/** Keys over the API: a caller hands out at most its own permissions, and a key at most its own life. */

import type { Permissions } from "../../../http/auth.ts";
import { type Caller, endedKey } from "../../../http/auth.ts";
import { isWithin } from "../../../http/permission-sets.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { apiKeyErrors } from "./errors.ts";
import { isEnded, isLonger, type KeyRequest, type MadeKey, makeKey, type Rotation, rotateKey } from "./make-key.ts";
import { type KeyRow, lockKeys } from "./store.ts";

type Giver = Pick<Caller, "organizationId" | "actor" | "permissions">;
type Given = Pick<KeyRequest, "permissions" | "expiresAt">;

export async function createKeyFor(
  tx: Tx,
  caller: Giver,
  request: KeyRequest,
  now: Temporal.Instant,
): Promise<MadeKey> {
  const locked = await lockKeys(tx, caller.organizationId, keyIdsOf(caller));
  demandWithin(caller, request, { locked, now });
  return makeKey(tx, caller.organizationId, request, now);
}

/** Who rotates a key sees the token of its successor. */
export async function rotateKeyFor(tx: Tx, caller: Giver, rotation: Rotation): Promise<MadeKey> {
  const { keyId, now } = rotation;
  const locked = await lockKeys(tx, caller.organizationId, [...keyIdsOf(caller), keyId]);
  const old = locked.find(({ key_id }) => key_id === keyId);
  if (old) {
    const given = { permissions: old.permissions as Permissions, expiresAt: old.expires_at };
    demandWithin(caller, given, { locked, now });
  }
  return rotateKey(tx, caller.organizationId, rotation);
}

const keyIdsOf = ({ actor }: Giver): string[] => (actor.kind === "key" ? [actor.id] : []);

/** The key of the request is read again under a lock: authentication may know it from a few seconds ago. */
function demandWithin(
  { actor, permissions }: Giver,
  given: Given,
  { locked, now }: { locked: readonly KeyRow[]; now: Temporal.Instant },
): void {
  if (!isWithin(given.permissions, permissions)) throw apiKeyErrors.problem("permissions_exceed_caller");
  if (actor.kind !== "key") return;
  const own = locked.find(({ key_id }) => key_id === actor.id);
  if (!own || isEnded(own, now)) throw endedKey();
  if (isLonger(given.expiresAt, own.expires_at)) throw apiKeyErrors.problem("expiry_exceeds_caller");
}
