/** The role that a request names by its code: one that every organization has, or one of its own. */
import type { Permissions } from "../../../http/auth.ts";
import { invalidMembers } from "../../../http/problem.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { type BuiltInRole, isBuiltIn, permissionsOf } from "./built-in-roles.ts";
import { shareRole } from "./store.ts";

export type ChosenRole = { built_in_role: BuiltInRole | null; role_id: string | null; permissions: Permissions };

export async function chooseRole(tx: Tx, organizationId: string, code: string, path = "role"): Promise<ChosenRole> {
  if (isBuiltIn(code)) return { built_in_role: code, role_id: null, permissions: permissionsOf(code) };
  const role = await shareRole(tx, organizationId, code);
  if (!role)
    throw invalidMembers([
      { path, code: "value_is_invalid", message: "Send the code of a role; `GET /roles` lists them." },
    ]);
  return { built_in_role: null, role_id: role.id, permissions: role.permissions as Permissions };
}
