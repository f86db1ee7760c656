/** The plans of the campaign, of every kind; the cheapest a year first. Some cost the same a year, and that is an upgrade. */
import { type PlanTerms, yearlyAmount } from "./world.ts";

const plan = (code: string, terms: Partial<PlanTerms> & Pick<PlanTerms, "interval" | "amount">): PlanTerms => ({
  code,
  currency: "EUR",
  isInAdvance: false,
  trialDays: 0,
  areChargesMonthly: false,
  ...terms,
});

const inAdvance = { isInAdvance: true };
const byMonth = { areChargesMonthly: true };

export const PLANS: readonly PlanTerms[] = [
  plan("free", { interval: "monthly", amount: 0 }),
  plan("quarter", { interval: "quarterly", amount: 900 }),
  plan("month-trial", { interval: "monthly", amount: 300, trialDays: 45 }),
  plan("half-year", { interval: "semiannual", amount: 2000, ...byMonth }),
  plan("month", { interval: "monthly", amount: 400 }),
  plan("year-months", { interval: "yearly", amount: 5000, ...byMonth }),
  plan("week", { interval: "weekly", amount: 100 }),
  plan("year", { interval: "yearly", amount: 5200 }),
  plan("month-ahead", { interval: "monthly", amount: 500, ...inAdvance }),
  plan("quarter-ahead", { interval: "quarterly", amount: 1500, ...inAdvance }),
  plan("month-ahead-trial", { interval: "monthly", amount: 500, ...inAdvance, trialDays: 10 }),
  plan("year-ahead", { interval: "yearly", amount: 7000, ...inAdvance }),
  plan("week-ahead-trial", { interval: "weekly", amount: 150, ...inAdvance, trialDays: 0.5 }),
  plan("year-ahead-months-trial", { interval: "yearly", amount: 9000, ...inAdvance, ...byMonth, trialDays: 31 }),
  plan("dollars", { interval: "monthly", amount: 1000, currency: "USD" }),
].toSorted((one, other) => yearlyAmount(one) - yearlyAmount(other));
