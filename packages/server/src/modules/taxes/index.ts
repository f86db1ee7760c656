export { describeTaxes, listDefaultTaxes } from "./describe-taxes.ts";
export { taxErrors } from "./errors.ts";
export { taxRoutes } from "./routes.ts";
export { type ApiTax, type TaxRow, taxSchema } from "./schema.ts";
export { findDefaultTaxes, findTaxes } from "./store.ts";
