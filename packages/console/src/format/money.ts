/** Amounts as people read them. Whole minor units and exact decimals come as text or integers and never pass through a float. */
import { currency, inMajorUnits, minor, minorDigits, readExact, roundTo } from "@tallystick/core/money";

/** Those that are billed: the browser's own table differs for some currencies. */
const digitsOf = (code: string): number => minorDigits(currency(code));

const cache = new Map<string, Intl.NumberFormat>();
function formatter(code: string, digits: number | "exact"): Intl.NumberFormat {
  const key = `${code} ${digits}`;
  let made = cache.get(key);
  if (!made) {
    const fraction =
      digits === "exact"
        ? { minimumFractionDigits: digitsOf(code), maximumFractionDigits: 15 }
        : { minimumFractionDigits: digits, maximumFractionDigits: digits };
    made = new Intl.NumberFormat(undefined, {
      style: "currency",
      currency: code,
      currencyDisplay: "narrowSymbol",
      ...fraction,
    });
    cache.set(key, made);
  }
  return made;
}

/** 100568 of EUR is "1005.68". */
export function majorText(amount: number | bigint | string, code: string): string {
  const digits = digitsOf(code);
  const text = BigInt(amount).toString();
  const isNegative = text.startsWith("-");
  const padded = text.replace("-", "").padStart(digits + 1, "0");
  const whole = padded.slice(0, padded.length - digits);
  return `${isNegative ? "-" : ""}${whole}${digits > 0 ? `.${padded.slice(-digits)}` : ""}`;
}

export const moneyParts = (amount: number | bigint | string, code: string): Intl.NumberFormatPart[] =>
  formatter(code, digitsOf(code)).formatToParts(majorText(amount, code) as unknown as number);

export const money = (amount: number | bigint | string, code: string): string =>
  formatter(code, digitsOf(code)).format(majorText(amount, code) as unknown as number);

/** "50.4967872" with all its decimals. */
export const exactMoney = (major: string, code: string): string =>
  formatter(code, "exact").format(major as unknown as number);

const plain = new Intl.NumberFormat(undefined, { maximumFractionDigits: 6 });
export const quantity = (text: string): string => plain.format(text as unknown as number);

/** "1005.68" of EUR is 100568; undefined for anything that is not a whole number of minor units. */
export function minorOf(text: string, code: string): number | undefined {
  const digits = digitsOf(code);
  const [, whole = "", fraction = ""] = /^(\d+)(?:\.(\d*))?$/.exec(text.trim()) ?? [];
  if (whole === "" || fraction.length > digits) return undefined;
  const amount = Number(`${whole}${fraction.padEnd(digits, "0")}`);
  return Number.isSafeInteger(amount) ? amount : undefined;
}

/** Exact minor units, also as a fraction, in major units to twelve places. */
export const majorOf = (exactMinor: string, code: string): string =>
  roundTo(readExact(exactMinor).times(inMajorUnits(minor(1n), currency(code))), 12).toFixed();

const short = new Intl.NumberFormat(undefined, { notation: "compact", maximumSignificantDigits: 3 });
/** "2.5M", for the marks of an axis. */
export const shortNumber = (value: number): string => short.format(value);

const grouped = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });
const SEPARATORS = new RegExp(
  `[\\s_${grouped
    .formatToParts(1_234_567)
    .filter(({ type }) => type === "group")
    .map(({ value }) => value.replace(/[.\\]^-]/, "\\$&"))
    .join("")}]`,
  "g",
);
/** "10,000,000": whole numbers with the separators of the reader. Anything else stays as it is. */
export const wholeText = (text: string): string => (/^\d+$/.test(text) ? grouped.format(BigInt(text)) : text);
/** What a person enters as a whole number, without its separators. */
export const wholeOf = (text: string): string => text.replaceAll(SEPARATORS, "");
