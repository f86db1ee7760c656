/** Amounts, units and rates as people write them. Text only: no computation with money. */

const DIGITS: Readonly<Record<string, number>> = { JPY: 0, KWD: 3 };

const digitsOf = (currency: string): number => DIGITS[currency] ?? 2;

/** "50.00" → 5000, for members of the API in the smallest unit of a currency. */
export function readCents(text: string, currency: string): number {
  const [, whole = "", decimals = ""] = /^(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === "" || decimals.length !== digitsOf(currency)) {
    throw new Error(`"${text}" is no amount in ${currency}: write ${digitsOf(currency)} digits after the point`);
  }
  return Number(whole + decimals);
}

/** "20 %" → "20" */
export function readRate(text: string): string {
  const [, rate] = /^(\d+(?:\.\d+)?) %$/.exec(text) ?? [];
  if (rate === undefined) throw new Error(`"${text}" is no rate: write "20 %"`);
  return rate;
}

/** 5000 → "50.00" */
export function writeCents(cents: number, currency: string): string {
  const digits = digitsOf(currency);
  const text = String(Math.abs(cents)).padStart(digits + 1, "0");
  const whole = text.slice(0, text.length - digits);
  return `${cents < 0 ? "-" : ""}${grouped(whole)}${digits === 0 ? "" : `.${text.slice(-digits)}`}`;
}

/** "0.1" → "0.10"; "0.012345" stays. */
export function writePrice(price: string, currency: string): string {
  const [whole = "", decimals = ""] = price.split(".");
  const kept = decimals.replace(/0+$/, "").padEnd(digitsOf(currency), "0");
  return kept === "" ? grouped(whole) : `${grouped(whole)}.${kept}`;
}

const UNIT_DIGITS = 5;

/** "1500.0" → "1 500"; very long numbers end with "…". */
export function writeUnits(units: string): string {
  const [whole = "", decimals = ""] = units.split(".");
  const kept = decimals.replace(/0+$/, "");
  if (kept === "") return grouped(whole);
  return `${grouped(whole)}.${kept.slice(0, UNIT_DIGITS)}${kept.length > UNIT_DIGITS ? "…" : ""}`;
}

const grouped = (whole: string): string => whole.replace(/\B(?=(\d{3})+$)/g, " ");
