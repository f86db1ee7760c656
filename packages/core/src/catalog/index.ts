export { parseTaxRate } from "./tax.ts";
