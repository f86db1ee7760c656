/** What a customer subscribes to, as far as amounts and dates depend on it. */
import { type Currency, type Decimal, type Minor, minor } from "../money/index.ts";
import type { Interval } from "../time/index.ts";
import type { Charge, ChargeDefinition } from "./charge.ts";

/** A plan without its charges and commitment: all that the life of a subscription depends on. */
export type PlanFrame = {
  readonly code: string;
  readonly interval: Interval;
  readonly amountMinor: Minor;
  readonly currency: Currency;
  /** Of the subscription fee; charges have a timing of their own. */
  readonly isPaidInAdvance: boolean;
  readonly trialDays: Decimal;
  /** Only of a yearly (or semiannual) plan: charges are billed every month, the fee once. */
  readonly areChargesMonthly: boolean;
};

export type Plan = PlanFrame & {
  readonly charges: readonly Charge[];
  /** The least a period costs; null for none. */
  readonly minimumCommitmentMinor: Minor | null;
};

/** The least a period costs, with what people see of it and what it is taxed with. */
export type CommitmentDefinition = {
  readonly amountMinor: Minor;
  readonly invoiceDisplayName: string | null;
  readonly taxCodes: readonly string[];
};

/** A plan with what people see of it and what it is taxed with. */
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

/** What tells an upgrade from a downgrade: the fees of a year without charges; 100 a week are 5200. */
export function yearlyAmount({ interval, amountMinor }: Pick<Plan, "interval" | "amountMinor">): Minor {
  return minor(amountMinor * PERIODS_OF_A_YEAR[interval]);
}

/** Whether a plan of this interval may bill its charges every month. */
export const mayBillChargesMonthly = (interval: Interval): boolean =>
  interval === "yearly" || interval === "semiannual";
