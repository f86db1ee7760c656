export {
  createAuthenticate,
  listKeys,
  makeKey,
  PERMISSION_RESOURCES,
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
export { createSecurityLog, securityLogRoutes } from "./security-log/index.ts";
