/** Text formats that schemas name, each with the code of its failure. */
import { isCurrency } from "@tallystick/core/money";
import { isTimeZone, parseInstant } from "@tallystick/core/time";
import { COUNTRY_CODES } from "./country-codes.ts";

const EMAIL = /^[^\s@,;<>"]+@[^\s@,;<>"]+\.[^\s@,;<>"]+$/u;

/** The longest text of any format. Checked first, because a pattern can take quadratic time to refuse a text. */
export const FORMATTED_LENGTH_MAX = 2048;

type Format = { code: string; accepts: (text: string) => boolean };

export const FORMATS: Record<string, Format> = {
  timezone: { code: "invalid_timezone", accepts: isTimeZone },
  country: { code: "not_a_valid_country_code", accepts: isCountry },
  currency: { code: "value_is_invalid", accepts: isCurrency },
  emails: {
    code: "invalid_email_format",
    // Blanks are allowed around a comma, but no line break: the text becomes a mail header.
    accepts: (text) => text === "" || text.split(",").every((part) => EMAIL.test(part.replace(/^ +| +$/g, ""))),
  },
  "web-url": { code: "url_is_invalid", accepts: isWebUrl },
  "web-url-or-none": { code: "url_is_invalid", accepts: (text) => text === "" || isWebUrl(text) },
  date: { code: "invalid_date", accepts: isDate },
  datetime: { code: "invalid_date", accepts: (text) => parseInstant(text) !== undefined },
};

export const isOfFormat = (format: Format) => (text: string) =>
  text.length <= FORMATTED_LENGTH_MAX && format.accepts(text);

function isDate(text: string): boolean {
  // Postgres has no year 0.
  if (!/^(?!0000)\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  try {
    Temporal.PlainDate.from(text);
    return true;
  } catch {
    return false;
  }
}

/** ASCII letters only: uppercased, "ß" would become SS, South Sudan. */
function isCountry(text: string): boolean {
  return /^[A-Za-z]{2}$/.test(text) && COUNTRY_CODES.has(text.toUpperCase());
}

function isWebUrl(text: string): boolean {
  if (/[\s\u0000-\u001f]/.test(text) || !URL.canParse(text)) return false;
  return ["http:", "https:"].includes(new URL(text).protocol);
}
