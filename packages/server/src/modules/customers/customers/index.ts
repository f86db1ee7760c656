export { type CustomerTaxRows, findCustomerTaxes } from "./customer-taxes.ts";
export { customerJobs, deleteCustomersOfClock } from "./delete-customer.ts";
export { describeNamedCustomers } from "./describe-customers.ts";
export { askToEndCustomer, customerEndDueKind } from "./end-customer.ts";
export { customerErrors } from "./errors.ts";
export { holdCustomer, holdCustomerByExternalId, type LockedCustomer } from "./hold-customer.ts";
export { customerMessages } from "./messages.ts";
export { customerRoutes } from "./routes.ts";
export type { CustomerRow } from "./schema.ts";
export {
  findCustomer,
  findCustomerById,
  findCustomersById,
  findOwnTaxes,
  idsByExternalId,
  pageOfCustomers,
  removeTax,
  searchByCustomer,
  updateCustomer,
} from "./store.ts";
export { type ApiCustomer, customerSchema } from "./to-api.ts";
export { holdOrCreateCustomer } from "./upsert-customer.ts";
