export { type BuiltInRole, isBuiltIn, permissionsOf } from "./built-in-roles.ts";
export { type ChosenRole, chooseRole } from "./choose-role.ts";
export { roleErrors } from "./errors.ts";
export { roleRoutes } from "./routes.ts";
export { toApiPermissions } from "./schema.ts";
export { insertRole } from "./store.ts";
