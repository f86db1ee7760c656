export { parkItem } from "./park-item.ts";
export { parkedItemSchema } from "./schema.ts";
