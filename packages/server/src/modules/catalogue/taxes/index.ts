export { describeSharedTaxes, listDefaultTaxes } from "./describe-taxes.ts";
export { taxErrors } from "./errors.ts";
export { holdTaxes } from "./hold-taxes.ts";
export { taxRoutes } from "./routes.ts";
export { type ApiTax, type TaxRow, taxSchema } from "./schema.ts";
export { findDefaultTaxes, findTaxesById, findTaxOfRate } from "./store.ts";
