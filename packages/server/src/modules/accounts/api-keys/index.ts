export { createAuthenticate } from "./authenticate.ts";
export { apiKeyErrors } from "./errors.ts";
export { makeKey, revokeKey, rotateKey } from "./make-key.ts";
export { ALL_PERMISSIONS, PERMISSION_RESOURCES, PRESETS, parsePermissions } from "./permissions.ts";
export { apiKeyRoutes } from "./routes.ts";
export { listKeys } from "./store.ts";
