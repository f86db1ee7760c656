export { CURRENCY_CODES, minorDigits } from "./currency.ts";
export { type Decimal, decimal } from "./decimal.ts";
