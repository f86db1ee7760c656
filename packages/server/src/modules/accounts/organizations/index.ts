export { addOrganization, createOrganization, type OrganizationRequest } from "./create-organization.ts";
export { documentLocale, drawnLocale, localeWarnings } from "./document-locales.ts";
export { organizationRoutes } from "./routes.ts";
export type { OrganizationRow } from "./schema.ts";
export { findOrganization, isBillingPaused, listOrganizations, setBillingPause, setLogo } from "./store.ts";
