export { approveDomain, approvedDomains, findOrganizationOfDomain, listDomains, withdrawDomain } from "./store.ts";
