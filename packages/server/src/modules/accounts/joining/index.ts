export { becomeUser, readyPerson } from "./become-user.ts";
export { forgetOldSignIns } from "./forget-old.ts";
export { makeResetLink } from "./reset-password.ts";
export { joiningRoutes } from "./routes.ts";
