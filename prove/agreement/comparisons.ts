/** Every kind of case on which core and the oracle must agree. */
import { BILL_COMPARISONS } from "./bills.ts";
import type { Comparison } from "./comparison.ts";
import { INVOICE_COMPARISONS } from "./invoices.ts";
import { PERIOD_COMPARISONS } from "./periods.ts";
import { PRICE_COMPARISONS } from "./prices.ts";
import { USAGE_COMPARISONS } from "./usage.ts";

export const COMPARISONS: readonly Comparison[] = [
  ...PRICE_COMPARISONS,
  ...USAGE_COMPARISONS,
  ...PERIOD_COMPARISONS,
  ...INVOICE_COMPARISONS,
  ...BILL_COMPARISONS,
];
