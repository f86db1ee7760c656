export { customerJobs, deleteCustomersOfClock } from "./delete-customer.ts";
export { customerErrors } from "./errors.ts";
export { customerRoutes } from "./routes.ts";
