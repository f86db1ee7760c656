/** What the router needs of the plans. */
export { planQuery, plansQuery } from "./queries.ts";
export { parseNewPlanSearch, parsePlanSearch } from "./search.ts";
