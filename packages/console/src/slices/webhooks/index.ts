/** What the router needs of the webhooks. */
export { parseWebhookSearch } from "./search.ts";
