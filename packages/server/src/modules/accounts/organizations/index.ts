export { createOrganization } from "./create-organization.ts";
export { organizationRoutes } from "./routes.ts";
export { documentLocale, type OrganizationRow } from "./schema.ts";
export { findOrganization, isBillingPaused, listOrganizations, setBillingPause, setLogo } from "./store.ts";
