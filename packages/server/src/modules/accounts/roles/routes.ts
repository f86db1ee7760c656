/** CRUD of /roles, by code. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { Caller, Permissions } from "../../../http/auth.ts";
import { invalid } from "../../../http/problem.ts";
import type { Clock } from "../../../platform/clock.ts";
import { newId } from "../../../platform/new-id.ts";
import { isBuiltIn } from "./built-in-roles.ts";
import { roleErrors } from "./errors.ts";
import { builtInRoles, fromApiPermissions, roleSchemas, toApiRole } from "./schema.ts";
import {
  deleteRole,
  findRole,
  insertRole,
  isRoleUsed,
  listRoles,
  lockRole,
  type RoleRow,
  updateRole,
} from "./store.ts";

type Deps = { clock: Clock; demandWithin: (inner: Permissions, caller: Caller) => void };

export const roleRoutes =
  ({ clock, demandWithin }: Deps): FastifyPluginAsyncTypebox =>
  async (app) => {
    const config = { permission: "role" };
    const proven = { ...config, needsProof: true };

    app.get("/roles", { schema: roleSchemas.list, config }, (request) =>
      request.read(async (tx, organizationId) => ({
        roles: [...builtInRoles(), ...(await listRoles(tx, organizationId)).map(toApiRole)],
      })),
    );

    app.get("/roles/:code", { schema: roleSchemas.show, config }, (request) =>
      request.read(async (tx, organizationId) => {
        const { code } = request.params;
        const builtIn = builtInRoles().find((role) => role.code === code);
        return { role: builtIn ?? toApiRole(found(await findRole(tx, organizationId, code))) };
      }),
    );

    app.post("/roles", { schema: roleSchemas.create, config: proven }, (request) =>
      request.write(async (tx, organizationId) => {
        const { code, name, permissions } = request.body.role;
        if (isBuiltIn(code)) throw invalid({ code: ["value_already_exist"] });
        const set = fromApiPermissions(permissions);
        demandWithin(set, request.caller);
        const now = clock.now();
        const row = { id: newId(), code, name, permissions: JSON.stringify(set), created_at: now, updated_at: now };
        return { role: toApiRole(await insertRole(tx, organizationId, row)) };
      }),
    );

    app.put("/roles/:code", { schema: roleSchemas.change, config: proven }, (request) =>
      request.write(async (tx, organizationId) => {
        const before = changeable(request.params.code, await lockRole(tx, organizationId, request.params.code));
        const { name, permissions } = request.body.role;
        demandWithin(before.permissions as Permissions, request.caller);
        const set = permissions && fromApiPermissions(permissions);
        if (set) demandWithin(set, request.caller);
        const row = await updateRole(tx, organizationId, before.id, {
          ...(name === undefined ? {} : { name }),
          ...(set ? { permissions: JSON.stringify(set) } : {}),
          updated_at: clock.now(),
        });
        return { role: toApiRole(row) };
      }),
    );

    app.delete("/roles/:code", { schema: roleSchemas.delete, config: proven }, (request) =>
      request.write(async (tx, organizationId) => {
        const row = changeable(request.params.code, await lockRole(tx, organizationId, request.params.code));
        demandWithin(row.permissions as Permissions, request.caller);
        if (await isRoleUsed(tx, organizationId, row.id)) throw roleErrors.problem("role_in_use");
        await deleteRole(tx, organizationId, row.id);
        return { role: toApiRole(row) };
      }),
    );
  };

function found(row: RoleRow | undefined): RoleRow {
  if (!row) throw roleErrors.problem("role_not_found");
  return row;
}

function changeable(code: string, row: RoleRow | undefined): RoleRow {
  if (isBuiltIn(code)) throw roleErrors.problem("role_is_built_in");
  return found(row);
}
