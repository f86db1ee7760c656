export { addOnErrors } from "./errors.ts";
export { addOnRoutes } from "./routes.ts";
export type { AddOnRow } from "./schema.ts";
export { findAddOns, findTaxesOfAddOns, pageOfAddOns } from "./store.ts";
