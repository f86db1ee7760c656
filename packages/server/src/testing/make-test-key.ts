/** API keys of every kind. */
import type { Action, Permissions } from "../http/auth.ts";
import type { Platform } from "../main/compose.ts";
import { makeKey, PERMISSION_RESOURCES, revokeKey } from "../modules/accounts/index.ts";
import { inOrganization } from "../platform/postgres/database.ts";

export type KeyOptions = {
  permissions?: Permissions;
  expiresAt?: Temporal.Instant;
  isRevoked?: boolean;
};

/** These permissions on every resource except one. */
export const allBut = (resource: string, actions: readonly Action[]): NonNullable<Permissions> =>
  Object.fromEntries(PERMISSION_RESOURCES.filter((name) => name !== resource).map((name) => [name, actions]));

export function makeTestKey(
  platform: Platform,
  organizationId: string,
  options: KeyOptions = {},
): Promise<{ keyId: string; token: string }> {
  const { permissions = null, expiresAt = null, isRevoked = false } = options;
  const now = platform.clock.now();
  return inOrganization(platform.db, organizationId, async (tx) => {
    const made = await makeKey(tx, organizationId, { name: "test", permissions, expiresAt }, now);
    if (isRevoked) await revokeKey(tx, organizationId, made.keyId, now);
    return made;
  });
}

/** A well-formed key that does not exist: the transaction that created it never committed. */
export async function makeUnknownKey(platform: Platform, organizationId: string): Promise<string> {
  let token = "";
  const undone = new Error("undone");
  await inOrganization(platform.db, organizationId, async (tx) => {
    const input = { name: "undone", permissions: null, expiresAt: null };
    token = (await makeKey(tx, organizationId, input, platform.clock.now())).token;
    throw undone;
  }).catch((error: unknown) => {
    if (error !== undone) throw error;
  });
  return token;
}
