export { countDays, dayOf, startOfDay } from "./day.ts";
export { localText, parseInstant, yearsLater } from "./instant.ts";
export { BILLING_TIMES, type BillingTime, INTERVALS, type Interval } from "./interval.ts";
export { lastSecond, type Period, periodDays } from "./period.ts";
export { monthOf, periodAfter, periodAt, periodOn, type Schedule } from "./schedule.ts";
export { trialEnd } from "./trial.ts";
export { isTimeZone } from "./zone.ts";
