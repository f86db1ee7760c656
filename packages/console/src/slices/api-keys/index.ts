/** What the router needs of the API keys. */
export { parseKeySearch } from "./search.ts";
