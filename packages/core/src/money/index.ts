export { type Currency, currency, isCurrency, minorDigits } from "./currency.ts";
export { type Decimal, decimal, sumDecimals, ZERO } from "./decimal.ts";
export { type Exact, exactText, Fraction, fraction, greatest, least, NOTHING, readExact, sum } from "./fraction.ts";
export {
  inMajorUnits,
  inMinorUnits,
  leastMinor,
  type Minor,
  minor,
  roundMinor,
  roundToMinor,
  sumMinor,
} from "./minor.ts";
export { ceilTo, readableText, round, roundTo, truncateTo } from "./rounding.ts";
