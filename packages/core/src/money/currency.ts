/** ISO 4217: which currencies exist, and how many digits their minor unit has. */
const ZERO_DIGITS = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF";
const THREE_DIGITS = "BHD IQD JOD KWD LYD OMR TND";
const FOUR_DIGITS = "CLF";
const TWO_DIGITS =
  "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP " +
  "CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR " +
  "JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN " +
  "NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP " +
  "SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VES WST XCD YER ZAR ZMW";

const digitsByCode: ReadonlyMap<string, number> = new Map(
  (
    [
      [ZERO_DIGITS, 0],
      [TWO_DIGITS, 2],
      [THREE_DIGITS, 3],
      [FOUR_DIGITS, 4],
    ] as const
  ).flatMap(([codes, digits]) => codes.split(" ").map((code) => [code, digits] as const)),
);

/** Every currency code the service accepts, in alphabetical order. */
export const CURRENCY_CODES: readonly string[] = [...digitsByCode.keys()].sort();

declare const brand: unique symbol;

/** A currency code the service accepts: "EUR". Made by isCurrency. */
export type Currency = string & { readonly [brand]: "Currency" };

export function isCurrency(code: string): code is Currency {
  return digitsByCode.has(code);
}

/** A currency by its code; throws if the code is unknown. */
export function currency(code: string): Currency {
  if (!isCurrency(code)) throw new RangeError(`${code} is no currency.`);
  return code;
}

/** How many digits the minor unit of a currency has: EUR 2, JPY 0, KWD 3. */
export function minorDigits(code: Currency): number {
  return digitsByCode.get(code) ?? 2;
}
