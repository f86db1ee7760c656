/** Creates an organization with its first key, which is shown once and never stored. */
import { createOrganization, makeKey } from "../modules/accounts/index.ts";
import { inOrganization } from "../platform/postgres/database.ts";
import type { Platform } from "./compose.ts";

export type OrganizationRequest = { name: string; isSandbox: boolean; keyName: string };

export async function makeOrganization(
  { db, clock }: Platform,
  { name, isSandbox, keyName }: OrganizationRequest,
): Promise<{ id: string; key: string }> {
  const id = await createOrganization(db, clock, { name, isSandbox });
  const request = { name: keyName, permissions: null, expiresAt: null };
  const { token } = await inOrganization(db, id, (tx) => makeKey(tx, id, request, clock.now()));
  return { id, key: token };
}
