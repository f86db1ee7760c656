/**
 * Who signed in at a provider, in one transaction. An identity that is known counts before the mail address. A mail address counts only if
 * the provider has verified it and speaks for its domain; and never gives a provider an account that its organization does not know.
 */
import { newId } from "../../../platform/new-id.ts";
import { actAsDispatcher, actForOrganization, type Tx } from "../../../platform/postgres/database.ts";
import { deleteInvitation, findInvitationByEmail } from "../invitations/index.ts";
import { approvedDomains } from "../mail-domains/index.ts";
import { insertMember, isMember } from "../members/index.ts";
import { findUser, findUserByEmail, insertUser, normalizeEmail, type User } from "../users/index.ts";
import { domainOf } from "./begin-sign-in.ts";
import { identityProviderErrors } from "./errors.ts";
import type { Claims } from "./provider-client.ts";
import { findIdentity, insertIdentity, type ProviderRow } from "./store.ts";

type Arrival = {
  provider: ProviderRow;
  claims: Claims;
  /** Who is signed in already in this browser, by a proof of its own. */
  alreadyHere: string | undefined;
  now: Temporal.Instant;
};

const NAME_LENGTH = 255;

/** Returns the id of the person, who is a member then. */
export async function findPerson(tx: Tx, arrival: Arrival): Promise<string> {
  const { provider, claims, now } = arrival;
  const { organization_id: organizationId, id: providerId } = provider;
  const subject = { providerId, subject: claims.subject };
  const known = await acting(tx, organizationId, () => findIdentity(tx, organizationId, subject));
  const user = known === undefined ? await findByMail(tx, arrival) : await findUser(tx, known);
  if (!user || user.disabled_at !== null) throw identityProviderErrors.problem("not_a_member");
  await acting(tx, organizationId, async () => {
    await join(tx, arrival, { user, isNew: known === undefined });
    if (known === undefined) await insertIdentity(tx, organizationId, { ...subject, userId: user.id, now });
  });
  return user.id;
}

/** The dispatcher's transaction acts for the organization meanwhile. */
async function acting<T>(tx: Tx, organizationId: string, work: () => Promise<T>): Promise<T> {
  await actForOrganization(tx, organizationId);
  const done = await work();
  await actAsDispatcher(tx);
  return done;
}

/** An account that was there before needs its owner's word, unless the organization knows it: anyone may have made it with this address. */
async function findByMail(tx: Tx, { provider, claims, alreadyHere, now }: Arrival): Promise<User> {
  const { organization_id: organizationId } = provider;
  if (claims.email === undefined || !claims.isVerified) throw identityProviderErrors.problem("mail_not_verified");
  const email = normalizeEmail(claims.email);
  const approved = await acting(tx, organizationId, () => approvedDomains(tx, organizationId));
  const domain = domainOf(email);
  if (!provider.mail_domains.includes(domain) || !approved.has(domain))
    throw identityProviderErrors.problem("mail_domain_not_approved");
  const user = await findUserByEmail(tx, email);
  if (!user) return addUser(tx, { email, name: claims.name?.trim().slice(0, NAME_LENGTH) || email, now });
  const isOwn =
    alreadyHere === user.id || (await acting(tx, organizationId, () => isMember(tx, organizationId, user.id)));
  if (!isOwn) throw identityProviderErrors.problem("account_exists");
  return user;
}

async function addUser(tx: Tx, { now, ...person }: { email: string; name: string; now: Temporal.Instant }) {
  const user = { id: newId(), ...person, password_hash: null, disabled_at: null };
  await insertUser(tx, { ...user, created_at: now });
  return user;
}

type Joiner = { user: User; isNew: boolean };

/** Who was removed comes back by an invitation only. */
async function join(tx: Tx, { provider, now }: Arrival, { user, isNew }: Joiner): Promise<void> {
  const { organization_id: organizationId, auto_join_role: built_in_role, auto_join_role_id: role_id } = provider;
  if (await isMember(tx, organizationId, user.id)) return;
  const invitation = await findInvitationByEmail(tx, organizationId, { email: user.email, now });
  const isInvited = invitation !== undefined && (await deleteInvitation(tx, organizationId, invitation.id));
  const role = isInvited ? invitation : { built_in_role, role_id };
  if (!isInvited && (!isNew || (built_in_role ?? role_id) === null))
    throw identityProviderErrors.problem("not_a_member");
  const member = { user_id: user.id, built_in_role: role.built_in_role, role_id: role.role_id };
  await insertMember(tx, organizationId, { ...member, created_at: now, updated_at: now });
}
