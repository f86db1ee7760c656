/** Amounts, numbers, dates and countries as the language of a document writes them. Exact: nothing passes through a float. */
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
    /** Of whole minor units. */
    amount: (cents: bigint): string => rounded.format(exactly(inMajorUnits(minor(cents), currency), digits)),
    /** Of major units, with all the decimals there are. */
    exactAmount: (value: Exact): string => exact.format(exactly(value, DIGITS_MAX)),
    number: (value: Exact): string => plain.format(exactly(value, DIGITS_MAX)),
    rate: (value: Exact): string => percentage.format(exactly(value, DIGITS_MAX)),
    /** Of words that follow a count; the units of Intl count nights and days as one in the north. */
    isOne: (count: number): boolean => plurals.select(count) === "one",
    date: (day: Temporal.PlainDate): string => day.toLocaleString(locale, { dateStyle: "medium" }),
    country: (input: string): string => countries.of(input) ?? input,
  };
}

/** Formatting takes the text of a decimal as it is. */
const exactly = (value: Exact, digits: number): Intl.StringNumericLiteral =>
  roundTo(value, digits).toFixed() as Intl.StringNumericLiteral;
