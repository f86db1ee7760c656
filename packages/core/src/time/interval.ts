/** How long a billing period is. */
export const INTERVALS = ["weekly", "monthly", "quarterly", "semiannual", "yearly"] as const;
export type Interval = (typeof INTERVALS)[number];

/** calendar: periods begin on Mondays, firsts of months, quarters, half-years, years. anniversary: on the day of the subscription. */
export const BILLING_TIMES = ["calendar", "anniversary"] as const;
export type BillingTime = (typeof BILLING_TIMES)[number];
