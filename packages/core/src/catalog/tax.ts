/** Validates a tax rate. */
import type { Decimal } from "../money/index.ts";
import { type PercentageFault, parsePercentage } from "./percentage.ts";
import type { Result } from "./result.ts";

const DECIMALS_MAX = 10;

/** A percentage from 0 up to, not including, 1000, with at most 10 decimals: "20", "8.875". */
export const parseTaxRate = (text: string): Result<Decimal, PercentageFault> => parsePercentage(text, DECIMALS_MAX);
