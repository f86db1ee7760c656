/** What the router needs of the events. */
export { eventsQuery } from "./queries.ts";
export { parseEventSearch } from "./search.ts";
