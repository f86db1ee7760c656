/** Validates a percentage: the rate of a tax or of a coupon. */
import { type Decimal, decimal, ZERO } from "../money/index.ts";
import { fail, ok, type Result } from "./result.ts";

export type PercentageFault = "value_is_invalid" | "value_is_out_of_range";

const DECIMAL_TEXT = /^-?\d{1,40}(\.\d{1,40})?$/;
const LIMIT = decimal("1000");

/** A percentage from 0 up to, not including, 1000: "20", "8.875". More decimals than allowed are out of range. */
export function parsePercentage(text: string, decimalsMax: number): Result<Decimal, PercentageFault> {
  if (!DECIMAL_TEXT.test(text)) return fail("value_is_invalid");
  const rate = decimal(text);
  const isInRange = rate.gte(ZERO) && rate.lt(LIMIT) && rate.round(decimalsMax).eq(rate);
  return isInRange ? ok(rate) : fail("value_is_out_of_range");
}
