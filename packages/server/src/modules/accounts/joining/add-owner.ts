/** An owner from the command line, without a link that others could open first. The person chooses a password by a reset link. */
import { newId } from "../../../platform/new-id.ts";
import { actForOrganization, type Database } from "../../../platform/postgres/database.ts";
import { insertMember } from "../members/index.ts";
import { findUserByEmail, insertUser, readEmail } from "../users/index.ts";

type Owner = { organizationId: string; email: string; name: string; now: Temporal.Instant };

/** Who exists already becomes an owner too. Returns whether the person is new. */
export const addOwner = (dispatcherDb: Database, { organizationId, name, now, ...given }: Owner): Promise<boolean> =>
  dispatcherDb.transaction().execute(async (tx) => {
    const email = readEmail(given.email);
    const known = await findUserByEmail(tx, email);
    const id = known?.id ?? newId();
    if (!known) await insertUser(tx, { id, email, name, created_at: now });
    await actForOrganization(tx, organizationId);
    const owner = { built_in_role: "owner", role_id: null } as const;
    if (!(await insertMember(tx, organizationId, { user_id: id, ...owner, created_at: now, updated_at: now })))
      throw new Error(`${email} is a member already: an owner changes roles at PUT /members/${id}`);
    return !known;
  });
