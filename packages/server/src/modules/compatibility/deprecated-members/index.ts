export { restateForOldClients } from "./restate.ts";
export { DEPRECATED_MEMBERS, type DeprecatedMember } from "./table.ts";
export { deprecatedMembers } from "./translate.ts";
