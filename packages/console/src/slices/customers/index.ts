/** What the router and other slices need of the customers. */
export { customerQuery, customersQuery } from "./queries.ts";
export { parseCustomerSearch } from "./search.ts";
