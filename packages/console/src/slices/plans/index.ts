/** What the router needs of the plans. */
export { loadPlan, plansQuery } from "./queries.ts";
export { parseNewPlanSearch, parsePlanSearch } from "./search.ts";
