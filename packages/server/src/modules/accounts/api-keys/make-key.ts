/** Creates, rotates and revokes keys. A token is returned once and never stored. */

import type { Permissions } from "../../../http/auth.ts";
import { newId } from "../../../platform/new-id.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { apiKeyErrors } from "./errors.ts";
import { findKey, insertKey, type KeyRow, lockKeys, replaceRow, revokeRow } from "./store.ts";
import { makeToken } from "./token.ts";

export type KeyRequest = { name: string; permissions: Permissions; expiresAt: Temporal.Instant | null };
export type MadeKey = { row: KeyRow; keyId: string; token: string };

export async function makeKey(
  tx: Tx,
  organizationId: string,
  request: KeyRequest,
  now: Temporal.Instant,
): Promise<MadeKey> {
  const { keyId, token, hash } = makeToken();
  const row = await insertKey(tx, organizationId, { ...request, id: newId(), keyId, hash, createdAt: now });
  return { row, keyId, token };
}

export type Rotation = { keyId: string; now: Temporal.Instant; oldKeyWorksUntil: Temporal.Instant };

/**
 * Creates a key with the name, permissions and expiry of the old one. The old key works until `oldKeyWorksUntil`, but never longer than it
 * would have. A key is replaced once.
 */
export async function rotateKey(
  tx: Tx,
  organizationId: string,
  { keyId, now, oldKeyWorksUntil }: Rotation,
): Promise<MadeKey> {
  const [old] = await lockKeys(tx, organizationId, [keyId]);
  if (!old) throw apiKeyErrors.problem("api_key_not_found");
  if (isEnded(old, now)) throw apiKeyErrors.problem("api_key_has_ended");
  if (old.replaced_at) throw apiKeyErrors.problem("api_key_already_rotated");
  const request = { name: old.name, permissions: old.permissions as Permissions, expiresAt: old.expires_at };
  const made = await makeKey(tx, organizationId, request, now);
  const until = old.expires_at && isLonger(oldKeyWorksUntil, old.expires_at) ? old.expires_at : oldKeyWorksUntil;
  const end = isLonger(until, now) ? { expires_at: until } : { revoked_at: now };
  await replaceRow(tx, organizationId, keyId, { replaced_at: now, ...end });
  return made;
}

/** Repeatable: a revoked key stays as it is. */
export async function revokeKey(tx: Tx, organizationId: string, keyId: string, now: Temporal.Instant): Promise<KeyRow> {
  const row = (await revokeRow(tx, organizationId, keyId, now)) ?? (await findKey(tx, organizationId, keyId));
  if (!row) throw apiKeyErrors.problem("api_key_not_found");
  return row;
}

export const isEnded = ({ revoked_at, expires_at }: KeyRow, now: Temporal.Instant): boolean =>
  revoked_at !== null || (expires_at !== null && Temporal.Instant.compare(expires_at, now) <= 0);

/** Whether a life ends later than another; null never ends. */
export const isLonger = (one: Temporal.Instant | null, other: Temporal.Instant | null): boolean =>
  other !== null && (one === null || Temporal.Instant.compare(one, other) > 0);
