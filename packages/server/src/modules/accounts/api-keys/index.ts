export { createAuthenticate } from "./authenticate.ts";
export { makeKey, rotateKey } from "./make-key.ts";
export { PERMISSION_RESOURCES, parsePermissions } from "./permissions.ts";
export { listKeys, revokeKey } from "./store.ts";
