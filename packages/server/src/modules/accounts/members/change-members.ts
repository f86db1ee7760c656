/** Changes the role of a member, or removes one. An organization keeps an owner, and a caller touches nobody who may do more. */
import type { Caller, Permissions } from "../../../http/auth.ts";
import { isWithin } from "../../../http/permission-sets.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { type ChosenRole, permissionsOf } from "../roles/index.ts";
import { memberErrors } from "./errors.ts";
import { deleteMember, findMember, lockMembers, type MemberRow, updateMember } from "./store.ts";

export function demandWithin(inner: Permissions, { permissions }: Caller): void {
  if (!isWithin(inner, permissions)) throw memberErrors.problem("more_than_you_have");
}

const permissionsOfMember = ({ built_in_role, permissions }: MemberRow): Permissions =>
  built_in_role === null ? permissions : permissionsOf(built_in_role);

type Change = { caller: Caller; userId: string; now: Temporal.Instant };

export async function changeRole(
  tx: Tx,
  organizationId: string,
  { caller, userId, now, role }: Change & { role: ChosenRole },
): Promise<MemberRow> {
  await demandChangeable(tx, organizationId, { caller, userId, staysOwner: role.built_in_role === "owner" });
  demandWithin(role.permissions, caller);
  const { built_in_role, role_id } = role;
  await updateMember(tx, organizationId, userId, { built_in_role, role_id, updated_at: now } as never);
  return found(await findMember(tx, organizationId, userId));
}

export async function removeMember(
  tx: Tx,
  organizationId: string,
  { caller, userId }: Omit<Change, "now">,
): Promise<MemberRow> {
  const removed = await demandChangeable(tx, organizationId, { caller, userId, staysOwner: false });
  await deleteMember(tx, organizationId, userId);
  return removed;
}

async function demandChangeable(
  tx: Tx,
  organizationId: string,
  { caller, userId, staysOwner }: { caller: Caller; userId: string; staysOwner: boolean },
): Promise<MemberRow> {
  const all = await lockMembers(tx, organizationId);
  const member = found(await findMember(tx, organizationId, userId));
  demandWithin(permissionsOfMember(member), caller);
  const owners = all.filter(({ built_in_role }) => built_in_role === "owner");
  if (!staysOwner && owners.length === 1 && owners[0]?.user_id === userId) throw memberErrors.problem("last_owner");
  return member;
}

function found(member: MemberRow | undefined): MemberRow {
  if (!member) throw memberErrors.problem("member_not_found");
  return member;
}
