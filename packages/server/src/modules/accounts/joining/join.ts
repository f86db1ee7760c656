/** The ways into an organization: the setup link, an invitation, or making one. Each is one transaction. */
import { newId } from "../../../platform/new-id.ts";
import { actForOrganization, type Database, type Tx } from "../../../platform/postgres/database.ts";
import { deleteInvitation, findInvitationByToken } from "../invitations/index.ts";
import { hashOf, takeLink } from "../links/index.ts";
import { insertMember } from "../members/index.ts";
import { addOrganization, type OrganizationRequest } from "../organizations/index.ts";
import { sessionErrors } from "../sessions/index.ts";
import { becomeUser, type ReadyPerson } from "./become-user.ts";

/** Somebody who signed in, or a person to add. */
type Joiner = { user: { id: string; email: string } } | { person: ReadyPerson };
type Joining = Joiner & { token: string; now: Temporal.Instant };

const idOf = (tx: Tx, joiner: Joiner, now: Temporal.Instant): Promise<string> =>
  "user" in joiner ? Promise.resolve(joiner.user.id) : becomeUser(tx, joiner.person, now);

/** Makes the person an owner. Returns the person's id. */
export const setUpOwner = (dispatcherDb: Database, { token, now, ...joiner }: Joining): Promise<string> =>
  dispatcherDb.transaction().execute(async (tx) => {
    const link = await takeLink(tx, { tokenHash: hashOf(token), kind: "setup", now });
    if (!link?.organization_id) throw sessionErrors.problem("link_not_found");
    const userId = await idOf(tx, joiner as Joiner, now);
    await actForOrganization(tx, link.organization_id);
    const owner = { built_in_role: "owner", role_id: null } as const;
    await insertMember(tx, link.organization_id, { user_id: userId, ...owner, created_at: now, updated_at: now });
    return userId;
  });

/** Who is a member already keeps the role. Returns the person's id. */
export const acceptInvitation = (dispatcherDb: Database, { token, now, ...joiner }: Joining): Promise<string> =>
  dispatcherDb.transaction().execute(async (tx) => {
    const invitation = await findInvitationByToken(tx, hashOf(token), now);
    if (!invitation) throw sessionErrors.problem("link_not_found");
    const { organization_id, id, email, built_in_role, role_id } = invitation;
    const own = "user" in joiner ? (joiner as { user: { email: string } }).user.email : email;
    if (own !== email) throw sessionErrors.problem("invitation_for_another_address");
    const userId = await idOf(tx, joiner as Joiner, now);
    await actForOrganization(tx, organization_id);
    if (!(await deleteInvitation(tx, organization_id, id))) throw sessionErrors.problem("link_not_found");
    const role = { built_in_role, role_id };
    await insertMember(tx, organization_id, { user_id: userId, ...role, created_at: now, updated_at: now });
    return userId;
  });

type NewOrganization = OrganizationRequest & { userId: string; now: Temporal.Instant };

/** The person is its first owner. Returns the id of the organization. */
export const makeOwnOrganization = (
  dispatcherDb: Database,
  { userId, now, ...request }: NewOrganization,
): Promise<string> =>
  dispatcherDb.transaction().execute(async (tx) => {
    const id = newId();
    await actForOrganization(tx, id);
    await addOrganization(tx, id, request, now);
    const owner = { built_in_role: "owner", role_id: null } as const;
    await insertMember(tx, id, { user_id: userId, ...owner, created_at: now, updated_at: now });
    return id;
  });
