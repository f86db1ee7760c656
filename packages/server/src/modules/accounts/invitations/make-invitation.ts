/** Invites a person: a row with the hash of the token, and the link to pass on. */
import { newId } from "../../../platform/new-id.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { hashOf } from "../links/index.ts";
import type { ChosenRole } from "../roles/index.ts";
import { readEmail } from "../users/index.ts";
import { insertInvitation } from "./store.ts";

const LASTS = { hours: 7 * 24 };

type Invitation = {
  email: string;
  role: Pick<ChosenRole, "built_in_role" | "role_id">;
  token: string;
  /** The person who invites; null for a key or the command line. */
  invitedBy: string | null;
  now: Temporal.Instant;
};

/** Returns the id. */
export async function makeInvitation(
  tx: Tx,
  organizationId: string,
  { email, role, token, invitedBy, now }: Invitation,
): Promise<string> {
  const id = newId();
  await insertInvitation(tx, organizationId, {
    id,
    email: readEmail(email),
    built_in_role: role.built_in_role,
    role_id: role.role_id,
    token_hash: hashOf(token),
    invited_by: invitedBy,
    created_at: now,
    expires_at: now.add(LASTS),
  });
  return id;
}
