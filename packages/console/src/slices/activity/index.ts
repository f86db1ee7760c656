/** What the router needs of the activity. */
export { parseActivitySearch } from "./search.ts";
