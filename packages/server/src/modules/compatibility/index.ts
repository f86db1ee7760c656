export {
  DEPRECATED_MEMBERS,
  type DeprecatedMember,
  deprecatedMembers,
  restateForOldClients,
} from "./deprecated-members/index.ts";
