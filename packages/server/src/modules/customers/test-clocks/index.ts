export { askToCatchUp, catchUpClockOf, resumeAdvance, testClockJobs } from "./advance-test-clock.ts";
export { holdClockToJoin, holdCustomerClock, readCustomerClock, readSubscriptionClocks } from "./customer-clock.ts";
export { testClockErrors } from "./errors.ts";
export { testClockRoutes } from "./routes.ts";
export { countWaitingAdvances, findClockOfCustomer } from "./store.ts";
