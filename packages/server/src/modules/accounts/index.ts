export {
  createAuthenticate,
  listKeys,
  makeKey,
  PERMISSION_RESOURCES,
  parsePermissions,
  revokeKey,
  rotateKey,
} from "./api-keys/index.ts";
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
