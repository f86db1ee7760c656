/** The answers of /session. */
import type { Caller } from "../../../http/auth.ts";
import { toApiInstant } from "../../../http/fields.ts";
import { refusalOf } from "../../../http/people.ts";
import { toApiPermissions } from "../roles/index.ts";
import { permissionsIn, type SessionReader } from "./read-sessions.ts";
import type { FoundSession, listLiveSessions, Membership } from "./store.ts";

const roleOf = ({ built_in_role, role_code }: Membership): string => built_in_role ?? role_code ?? "";

/** Who the person is and where it may go; and what it may do in the organization that the request names. */
export function toApiSession(session: FoundSession, organizationId: string | undefined, reader: SessionReader) {
  const chosen = session.memberships.find((one) => one.organization_id === organizationId);
  if (organizationId !== undefined && !chosen) throw refusalOf("organization_not_reached");
  const organizations = session.memberships.map((one) => ({
    id: one.organization_id,
    name: one.name,
    is_sandbox: one.is_sandbox,
    role: roleOf(one),
    // What the session lacks to reach it, as the code of the refusal.
    obstacle: reader.obstacleOf(session, one) ?? null,
  }));
  return {
    user: { id: session.user_id, email: session.email, name: session.user_name },
    methods: session.methods,
    signed_in_at: toApiInstant(session.created_at),
    proved_at: toApiInstant(session.proved_at),
    organizations,
    organization: chosen
      ? { id: chosen.organization_id, role: roleOf(chosen), permissions: toApiPermissions(permissionsIn(chosen)) }
      : null,
  };
}

type ListedSession = Awaited<ReturnType<typeof listLiveSessions>>[number];

export const toApiListedSession = (row: ListedSession, currentId: NonNullable<Caller["person"]>["sessionId"]) => ({
  id: row.id,
  is_current: row.id === currentId,
  methods: row.methods,
  signed_in_at: toApiInstant(row.created_at),
  last_used_at: toApiInstant(row.last_used_at),
  address: row.address,
  user_agent: row.user_agent,
});
