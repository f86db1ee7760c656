/** Creates an organization with its first key, which is shown once and never stored. */
import type { Permissions } from "../http/auth.ts";
import { createOrganization, makeKey } from "../modules/accounts/index.ts";
import { inOrganization } from "../platform/postgres/database.ts";
import type { Platform } from "./compose.ts";

export type OrganizationRequest = {
  name: string;
  isSandbox: boolean;
  keyName: string;
  /** Of the key; by default everything that need not be named. */
  permissions?: Permissions;
};

export async function makeOrganization(
  { db, clock }: Platform,
  { name, isSandbox, keyName, permissions = null }: OrganizationRequest,
): Promise<{ id: string; key: string }> {
  const id = await createOrganization(db, clock, { name, isSandbox });
  const request = { name: keyName, permissions, expiresAt: null };
  const { token } = await inOrganization(db, id, (tx) => makeKey(tx, id, request, clock.now()));
  return { id, key: token };
}
