/** What a customer subscribes to, as far as amounts and dates depend on it. */
import { type Currency, type Decimal, type Minor, minor } from "../money/index.ts";
import type { Interval } from "../time/index.ts";
import type { Charge, ChargeDefinition } from "./charge.ts";

/** A plan without its charges and commitment: all that the lifecycle of a subscription depends on. */
export type PlanFrame = {
  readonly code: string;
  readonly interval: Interval;
  readonly amountMinor: Minor;
  readonly currency: Currency;
  /** Bills the subscription fee at the start of the period. Each charge has its own setting. */
  readonly isPaidInAdvance: boolean;
  readonly trialDays: Decimal;
  /** Only for a yearly or semiannual plan: charges are billed monthly, and the fee once. */
  readonly areChargesMonthly: boolean;
};

export type Plan = PlanFrame & {
  readonly charges: readonly Charge[];
  /** The minimum cost of a period; null for none. */
  readonly minimumCommitmentMinor: Minor | null;
};

/** The minimum cost of a period, with its display name and its taxes. */
export type CommitmentDefinition = {
  readonly amountMinor: Minor;
  readonly invoiceDisplayName: string | null;
  readonly taxCodes: readonly string[];
};

/** A plan with its names and its taxes. */
export type PlanDefinition = PlanFrame & {
  readonly name: string;
  readonly invoiceDisplayName: string | null;
  readonly description: string | null;
  readonly taxCodes: readonly string[];
  readonly charges: readonly ChargeDefinition[];
  readonly minimumCommitment: CommitmentDefinition | null;
};

const PERIODS_OF_A_YEAR: Record<Interval, bigint> = {
  weekly: 52n,
  monthly: 12n,
  quarterly: 4n,
  semiannual: 2n,
  yearly: 1n,
};

/** Distinguishes an upgrade from a downgrade: the fees of a year without charges. 100 per week are 5200. */
export function yearlyAmount({ interval, amountMinor }: Pick<Plan, "interval" | "amountMinor">): Minor {
  return minor(amountMinor * PERIODS_OF_A_YEAR[interval]);
}

/** Whether a plan of this interval can bill its charges monthly. */
export const mayBillChargesMonthly = (interval: Interval): boolean =>
  interval === "yearly" || interval === "semiannual";
