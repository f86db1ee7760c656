/** What the router needs of the time machine. */
export { parseClockSearch } from "./search.ts";
