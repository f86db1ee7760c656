/** Formats amounts, numbers, dates and countries for the language of a document. No value passes through a float. */
import { type Currency, type Exact, inMajorUnits, minor, minorDigits, roundTo } from "@tallystick/core/money";

/** Unit prices can be far smaller than a cent. */
const DIGITS_MAX = 15;

export type Formats = ReturnType<typeof createFormats>;

export function createFormats(locale: string, code: string) {
  const currency = code as Currency;
  const digits = minorDigits(currency);
  const money = { style: "currency", currency, minimumFractionDigits: digits } as const;
  const rounded = new Intl.NumberFormat(locale, { ...money, maximumFractionDigits: digits });
  const exact = new Intl.NumberFormat(locale, { ...money, maximumFractionDigits: DIGITS_MAX });
  const plain = new Intl.NumberFormat(locale, { maximumFractionDigits: DIGITS_MAX });
  const percentage = new Intl.NumberFormat(locale, {
    style: "unit",
    unit: "percent",
    maximumFractionDigits: DIGITS_MAX,
  });
  const plurals = new Intl.PluralRules(locale);
  const countries = new Intl.DisplayNames(locale, { type: "region" });
  return {
    /** Takes minor units. */
    amount: (cents: bigint): string => rounded.format(exactly(inMajorUnits(minor(cents), currency), digits)),
    /** Takes major units and keeps all decimals. */
    exactAmount: (value: Exact): string => exact.format(exactly(value, DIGITS_MAX)),
    number: (value: Exact): string => plain.format(exactly(value, DIGITS_MAX)),
    rate: (value: Exact): string => percentage.format(exactly(value, DIGITS_MAX)),
    /** Whether a word after a count is singular. In Nordic languages the Intl unit for a day means day and night ("døgn"). */
    isOne: (count: number): boolean => plurals.select(count) === "one",
    date: (day: Temporal.PlainDate): string => day.toLocaleString(locale, { dateStyle: "medium" }),
    country: (input: string): string => countries.of(input) ?? input,
  };
}

/** Intl formats a decimal string exactly. */
const exactly = (value: Exact, digits: number): Intl.StringNumericLiteral =>
  roundTo(value, digits).toFixed() as Intl.StringNumericLiteral;
