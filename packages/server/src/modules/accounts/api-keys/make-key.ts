/** Creates, rotates and revokes keys. A token is returned once and never stored. */

import type { Permissions } from "../../../http/auth.ts";
import { newId } from "../../../platform/new-id.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { expireKey, findLiveKey, insertKey, revokeKey } from "./store.ts";
import { makeToken } from "./token.ts";

export type KeyRequest = { name: string; permissions: Permissions; expiresAt: Temporal.Instant | null };
export type MadeKey = { keyId: string; token: string };

export async function makeKey(
  tx: Tx,
  organizationId: string,
  request: KeyRequest,
  now: Temporal.Instant,
): Promise<MadeKey> {
  const { keyId, token, hash } = makeToken();
  await insertKey(tx, organizationId, { ...request, id: newId(), keyId, hash, createdAt: now });
  return { keyId, token };
}

export type Rotation = { keyId: string; now: Temporal.Instant; oldKeyWorksUntil: Temporal.Instant };

/**
 * Creates a key with the name and permissions of the old one. The old key works until `oldKeyWorksUntil`, but never longer than it would
 * have. Returns undefined if the old key no longer works.
 */
export async function rotateKey(
  tx: Tx,
  organizationId: string,
  { keyId, now, oldKeyWorksUntil }: Rotation,
): Promise<MadeKey | undefined> {
  const old = await findLiveKey(tx, organizationId, keyId);
  if (!old || (old.expires_at && !isAfter(old.expires_at, now))) return undefined;
  const until = old.expires_at && isAfter(oldKeyWorksUntil, old.expires_at) ? old.expires_at : oldKeyWorksUntil;
  if (isAfter(until, now)) await expireKey(tx, organizationId, keyId, until);
  else await revokeKey(tx, organizationId, keyId, now);
  return makeKey(
    tx,
    organizationId,
    { name: old.name, permissions: old.permissions as Permissions, expiresAt: null },
    now,
  );
}

const isAfter = (one: Temporal.Instant, other: Temporal.Instant): boolean => Temporal.Instant.compare(one, other) > 0;
