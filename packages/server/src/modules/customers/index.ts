export { type CustomerTaxRows, findCustomerTaxes } from "./customer-taxes.ts";
export { customerJobs, deleteCustomersOfClock } from "./delete-customer.ts";
export { describeCustomer } from "./describe-customers.ts";
export { customerErrors } from "./errors.ts";
export { type HeldCustomer, holdCustomer, holdCustomerByExternalId } from "./hold-customer.ts";
export { customerRoutes } from "./routes.ts";
export type { CustomerRow } from "./schema.ts";
export { findCustomer, findCustomerById, updateCustomer } from "./store.ts";
export { holdOrCreateCustomer } from "./upsert-customer.ts";
