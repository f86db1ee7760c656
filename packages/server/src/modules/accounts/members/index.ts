export { demandWithin } from "./change-members.ts";
export { memberErrors } from "./errors.ts";
export { memberRoutes } from "./routes.ts";
export { roleMember } from "./schema.ts";
export { insertMember, isMember, listMembers } from "./store.ts";
