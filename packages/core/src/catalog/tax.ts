/** What makes a tax rate valid. */
import { type Decimal, decimal } from "../money/index.ts";

export type TaxRateFault = "value_is_invalid" | "value_is_out_of_range";
export type TaxRate = { ok: true; rate: Decimal } | { ok: false; fault: TaxRateFault };

const DECIMAL_TEXT = /^-?\d{1,40}(\.\d{1,40})?$/;
const LIMIT = decimal("1000");
const DECIMALS_MAX = 10;

/** A percentage from 0 up to, not including, 1000, with at most 10 decimals: "20", "8.875". */
export function parseTaxRate(text: string): TaxRate {
  if (!DECIMAL_TEXT.test(text)) return { ok: false, fault: "value_is_invalid" };
  const rate = decimal(text);
  const isInRange = rate.gte(decimal("0")) && rate.lt(LIMIT) && rate.round(DECIMALS_MAX).eq(rate);
  return isInRange ? { ok: true, rate } : { ok: false, fault: "value_is_out_of_range" };
}
