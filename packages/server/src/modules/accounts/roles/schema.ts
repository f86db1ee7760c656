/** Role: the API's requests and responses. */
import { type Static, Type } from "@fastify/type-provider-typebox";
import type { Action, Permissions } from "../../../http/auth.ts";
import { envelope, instant, mandatoryText, nullable, oneOf, toApiInstant } from "../../../http/fields.ts";
import { namedObject } from "../../../http/named-object.ts";
import { ERROR_RESPONSES } from "../../../http/openapi.ts";
import { isAllowed } from "../../../http/permission-sets.ts";
import { PERMISSION_RESOURCES } from "../api-keys/index.ts";
import { BUILT_IN_ROLES, type BuiltInRole, permissionsOf } from "./built-in-roles.ts";
import type { RoleRow } from "./store.ts";

const ACTIONS: readonly Action[] = ["read", "write"];

const permission = namedObject("RolePermission", {
  resource: oneOf(PERMISSION_RESOURCES, { title: "PermissionResource" }),
  actions: Type.Array(oneOf(["read", "write"] as const), { minItems: 1, maxItems: 2 }),
});
const permissions = Type.Array(permission, {
  maxItems: 100,
  description: "What the role allows: resources, each once, with what may be done. What is not listed is not allowed",
});
type ApiPermissions = Static<typeof permissions>;

const roleCreate = namedObject("RoleCreate", {
  code: mandatoryText(255, "Unique in the organization; not one of the roles that every organization has"),
  name: mandatoryText(),
  permissions,
});
const roleUpdate = namedObject("RoleUpdate", {
  name: Type.Optional(mandatoryText()),
  permissions: Type.Optional(permissions),
});

const roleSchema = namedObject("Role", {
  code: Type.String(),
  name: Type.String(),
  is_built_in: Type.Boolean({ description: "Every organization has it, and it cannot be changed" }),
  permissions,
  created_at: nullable(instant("Null for a role that every organization has")),
});
type ApiRole = Static<typeof roleSchema>;

const tags = ["Roles"];
const params = Type.Object({ code: Type.String() });
const response = { 200: envelope("role", roleSchema), ...ERROR_RESPONSES };

export const roleSchemas = {
  list: {
    summary: "List roles",
    description: "Those that every organization has, and then its own, all on one page.",
    tags,
    response: { 200: Type.Object({ roles: Type.Array(roleSchema) }), ...ERROR_RESPONSES },
  },
  show: { summary: "Show a role", description: "Found by its code.", tags, params, response },
  create: {
    summary: "Create a role",
    description: "Nobody hands out more than they have: its permissions must be among yours.",
    tags,
    body: envelope("role", roleCreate),
    response,
  },
  change: {
    summary: "Change a role",
    description: "Only the members present in the body change. It applies to its members within 5 seconds.",
    tags,
    params,
    body: envelope("role", roleUpdate),
    response,
  },
  delete: { summary: "Delete a role", description: "No member and no invitation may have it.", tags, params, response },
};

/** Each resource by its name, so that a set does not depend on what is added later. */
export const toApiPermissions = (set: Permissions): ApiPermissions =>
  PERMISSION_RESOURCES.map((resource) => ({
    resource,
    actions: ACTIONS.filter((action) => isAllowed(set, resource, action)),
  })).filter(({ actions }) => actions.length > 0);

export const fromApiPermissions = (list: ApiPermissions): NonNullable<Permissions> =>
  Object.fromEntries(list.map(({ resource, actions }) => [resource, [...new Set(actions)]]));

export const toApiRole = (row: RoleRow): ApiRole => ({
  code: row.code,
  name: row.name,
  is_built_in: false,
  permissions: toApiPermissions(row.permissions as Permissions),
  created_at: toApiInstant(row.created_at),
});

const NAMES: Readonly<Record<BuiltInRole, string>> = {
  owner: "Owner",
  admin: "Admin",
  finance: "Finance",
  developer: "Developer",
  support: "Support",
};

const toApiBuiltIn = (code: BuiltInRole): ApiRole => ({
  code,
  name: NAMES[code],
  is_built_in: true,
  permissions: toApiPermissions(permissionsOf(code)),
  created_at: null,
});

export const builtInRoles = (): ApiRole[] => BUILT_IN_ROLES.map(toApiBuiltIn);
