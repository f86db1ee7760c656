export { addOwner } from "./add-owner.ts";
export { setUserDisabled } from "./disable-user.ts";
export { forgetOldSignIns } from "./forget-old.ts";
export { makeResetLink } from "./reset-password.ts";
export { joiningRoutes } from "./routes.ts";
