/** What the router and other slices need of the team. */
export { membersQuery } from "./queries.ts";
