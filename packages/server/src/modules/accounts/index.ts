export {
  ALL_PERMISSIONS,
  apiKeyErrors,
  apiKeyRoutes,
  createAuthenticate,
  listKeys,
  makeKey,
  PERMISSION_RESOURCES,
  PRESETS,
  parsePermissions,
  revokeKey,
  rotateKey,
} from "./api-keys/index.ts";
export {
  activityErrors,
  activityRoutes,
  countUnsealed,
  eraseActivities,
  findChain,
  listHeads,
  logHeads,
  pruneActivities,
  recordActivity,
  sealNextActivities,
  signHeadsAgain,
} from "./audit-log/index.ts";
export { returnNumber, takeLastOf, takeNumbers } from "./counters/index.ts";
export {
  answerBoxOf,
  countDataKeys,
  createPersonalVault,
  createVault,
  dataKeyErrors,
  findMasterKeys,
  findUnsettledKeys,
  forgetRetiredKeys,
  retireDataKeys,
  rewrapKeys,
  type SecretHolder,
  type Vault,
} from "./data-keys/index.ts";
export { createFactorsOf, proofRoutes, removeFactors } from "./factors/index.ts";
export {
  identityProviderErrors,
  identityProviderRoutes,
  providerSecrets,
  providerSignInRoutes,
} from "./identity-providers/index.ts";
export { invitationErrors, invitationRoutes, type MailPerson, makeInvitation } from "./invitations/index.ts";
export { addOwner, forgetOldSignIns, joiningRoutes, makeResetLink, setUserDisabled } from "./joining/index.ts";
export { issueLink, linkUrl, newToken } from "./links/index.ts";
export { approveDomain, listDomains, withdrawDomain } from "./mail-domains/index.ts";
export { demandWithin, insertMember, listMembers, memberErrors, memberRoutes } from "./members/index.ts";
export {
  createOrganization,
  documentLocale,
  drawnLocale,
  findOrganization,
  isBillingPaused,
  listOrganizations,
  localeWarnings,
  type OrganizationRow,
  organizationRoutes,
  setBillingPause,
  setLogo,
} from "./organizations/index.ts";
export { passkeyErrors, passkeyRoutes } from "./passkeys/index.ts";
export { type BuiltInRole, insertRole, isBuiltIn, permissionsOf, roleErrors, roleRoutes } from "./roles/index.ts";
export { factorErrors, secondFactorRoutes, totpSeeds } from "./second-factors/index.ts";
export { type CountSecurity, createSecurityLog, securityLogRoutes } from "./security-log/index.ts";
export {
  createSessionCookie,
  createSessionReader,
  type MailChange,
  revokeSessions,
  revokeSessionsOfDomain,
  sessionErrors,
  sessionRoutes,
  startSession,
} from "./sessions/index.ts";
export { relaxRules, signInRuleErrors, signInRuleRoutes } from "./sign-in-rules/index.ts";
export {
  createAttempts,
  createPasswords,
  findUser,
  findUserByEmail,
  insertUser,
  listUsers,
  normalizeEmail,
} from "./users/index.ts";
